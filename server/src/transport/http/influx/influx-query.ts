/** The few statements of InfluxQL that clients send before they write (I2d). Nothing is read by InfluxQL. */

/** One result of an answer of `/query`. */
export interface InfluxResult {
  statement_id: number;
  series?: { name: string; columns: string[]; values: string[][] }[];
  error?: string;
}

/** The most statements of one request. */
const statementsMax = 100;

/** Statements that change nothing here: there is one database for each integration, and rules of retention are set elsewhere. */
const acceptedForm = /^(create|alter)\s+(database|retention\s+policy)\s/i;

/** Answers statements; `database` is the one that the client names. */
export function answerStatements(text: string, database: string): InfluxResult[] {
  const statements = text
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
  return statements.slice(0, statementsMax).map((statement, i) => answerStatement(statement, i, database));
}

function answerStatement(statement: string, id: number, database: string): InfluxResult {
  if (acceptedForm.test(`${statement} `)) return { statement_id: id };
  if (/^show\s+databases$/i.test(statement))
    return { statement_id: id, series: [{ name: 'databases', columns: ['name'], values: [[database]] }] };
  return {
    statement_id: id,
    error: 'this service answers CREATE DATABASE and SHOW DATABASES only; read data by POST /v1/rpc',
  };
}
