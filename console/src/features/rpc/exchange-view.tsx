/** What came back from a call: how it went, in words; the body, and the headers. */
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { CodeBlock, download } from '../../parts/code-block.tsx';
import { printPretty } from '../../parts/json.ts';
import { ErrorNotice, Notice, ParamErrors } from '../../parts/notice.tsx';
import { printBytes } from '../../parts/number.ts';
import { Card } from '../../parts/page.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { explainError } from './document.ts';
import type { Answer, Exchange, HeaderList, Outcome } from './exchange.ts';

/** More than this is not laid out: the browser would stall. */
const shownCharactersMax = 200_000;

/** The view of an outcome. */
export function ExchangeView({ outcome }: { outcome: Outcome }) {
  const { exchange, error } = outcome;
  if (!exchange) return <ErrorNotice error={error} />;
  return (
    <Card title="Answer" actions={<Facts exchange={exchange} />}>
      {exchange.answer && <Explanation answer={exchange.answer} />}
      <Tabs
        label="Parts of the answer"
        entries={[
          { id: 'body', text: 'Body', content: <Body exchange={exchange} /> },
          {
            id: 'headers',
            text: `Headers (${exchange.headers.length})`,
            content: <Headers name="Headers of the answer" headers={exchange.headers} />,
          },
          { id: 'sent', text: 'Request', content: <Request exchange={exchange} /> },
        ]}
      />
    </Card>
  );
}

function Facts({ exchange: { status, ms, waitMs, bytes, answer } }: { exchange: Exchange }) {
  const isGood = status < 300 && answer?.error === undefined;
  return (
    <p className="line figures" role="status">
      <Badge tone={isGood ? 'good' : 'bad'}>
        {answer?.error ? `Error ${answer.error.code}` : `HTTP ${status}`}
      </Badge>
      <span className="quiet">
        {Math.round(ms)} ms, {Math.round(waitMs)} until it began · {printBytes(bytes)}
      </span>
    </p>
  );
}

function Explanation({ answer: { error, title, detail } }: { answer: Answer }) {
  if (!error) return title ? <Notice mood="bad">{detail ?? title}</Notice> : null;
  return (
    <Notice mood="bad">
      <p>
        <b>{error.message}.</b> {explainError(error.code)}
      </p>
      <ParamErrors params={Object.entries(error.data?.params ?? {})} />
    </Notice>
  );
}

function Body({ exchange: { text, answer } }: { exchange: Exchange }) {
  const pretty = answer ? printPretty(answer, shownCharactersMax) : text;
  const isCut = pretty.length > shownCharactersMax;
  return (
    <>
      {isCut && (
        <Notice
          action={
            <Button isTiny icon="download" onPress={() => download('answer.json', text, 'application/json')}>
              Download all
            </Button>
          }
        >
          The first {shownCharactersMax} characters of {text.length}.
        </Notice>
      )}
      <CodeBlock label="Body of the answer" text={pretty.slice(0, shownCharactersMax)} />
    </>
  );
}

function Headers({ name, headers }: { name: string; headers: HeaderList }) {
  return <CodeBlock label={name} text={headers.map(([key, value]) => `${key}: ${value}`).join('\n')} />;
}

/** What was sent; frames of a million points are not laid out. */
function Request({ exchange: { request } }: { exchange: Exchange }) {
  const { headers, body } = request;
  const pretty = body.length > shownCharactersMax ? body : printPretty(JSON.parse(body), shownCharactersMax);
  return (
    <>
      <Headers name="Headers of the request" headers={headers} />
      <CodeBlock label="Body of the request" text={pretty.slice(0, shownCharactersMax)} />
    </>
  );
}
