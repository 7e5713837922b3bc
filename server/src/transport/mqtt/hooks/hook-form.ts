/** What plug-ins of other brokers ask, and the answers that they understand (M5a). */

/** A client wants to connect. */
export interface ConnectQuestion {
  kind: 'connect';
  user: string;
  password: string;
  /** As the broker knows it; empty: it does not say. */
  address: string;
}

/** A client wants to use topics. */
export interface TopicQuestion {
  kind: 'topics';
  user: string;
  publishes: readonly string[];
  subscribes: readonly string[];
}

/** What is asked; null: the question cannot be read, and is answered with no. */
export type HookQuestion = ConnectQuestion | TopicQuestion | null;

/** An answer. */
export interface HookAnswer {
  status: number;
  body: object;
}

/** The members of a request. */
export type HookFields = Readonly<Record<string, unknown>>;

/** Which of the two paths was asked. */
export type HookKind = 'connect' | 'topics';

/** How one kind of plug-in asks, and wants to be answered. */
export interface HookForm {
  read(kind: HookKind, fields: HookFields): HookQuestion;
  answer(isAllowed: boolean): HookAnswer;
}

/** Topics of one request. */
const topicsMax = 100;

/** The form of a request: VerneMQ sends a header, EMQX the member `action`, and mosquitto-go-auth neither. */
export function formOf(hook: string | undefined, fields: HookFields): HookForm {
  if (hook !== undefined) return vernemq(hook);
  return fields.action === undefined ? goAuth : emqx;
}

const emqx: HookForm = {
  read(kind, fields) {
    if (kind === 'connect') return connectOf(fields, textOf(fields.peerhost));
    const { action, topic } = fields;
    if (action === 'publish') return topicsOf(fields, [topic], []);
    return action === 'subscribe' ? topicsOf(fields, [], [topic]) : null;
  },
  // A refusal with another status would leave the decision to the next rule of EMQX.
  answer: (isAllowed) => ({ status: 200, body: { result: isAllowed ? 'allow' : 'deny' } }),
};

function vernemq(hook: string): HookForm {
  const [name] = hook.split('_m5');
  return {
    read(kind, fields) {
      if (kind === 'connect')
        return name === 'auth_on_register' ? connectOf(fields, textOf(fields.peer_addr)) : null;
      if (name === 'auth_on_publish') return topicsOf(fields, [fields.topic], []);
      if (name !== 'auth_on_subscribe' || !Array.isArray(fields.topics)) return null;
      return topicsOf(
        fields,
        [],
        fields.topics.map((each: { topic?: unknown } | null) => each?.topic),
      );
    },
    answer: (isAllowed) => ({ status: 200, body: { result: isAllowed ? 'ok' : { error: 'not_allowed' } } }),
  };
}

const goAuth: HookForm = {
  read(kind, fields) {
    if (kind === 'connect') return connectOf(fields, '');
    const { topic } = fields;
    // 1: a message is sent to the client; 2: it publishes; 3: both; 4: it subscribes.
    const access = Number(fields.acc);
    if (![1, 2, 3, 4].includes(access)) return null;
    return topicsOf(fields, access === 2 || access === 3 ? [topic] : [], access === 2 ? [] : [topic]);
  },
  answer: (isAllowed) => ({
    status: isAllowed ? 200 : 403,
    body: isAllowed ? { ok: true, error: '' } : { ok: false, error: 'not allowed' },
  }),
};

function connectOf(fields: HookFields, address: string): HookQuestion {
  const { username: user, password } = fields;
  if (typeof user !== 'string' || typeof password !== 'string') return null;
  return { kind: 'connect', user, password, address };
}

function topicsOf(
  { username: user }: HookFields,
  publishes: readonly unknown[],
  subscribes: readonly unknown[],
): HookQuestion {
  const all = [...publishes, ...subscribes];
  if (typeof user !== 'string' || all.length === 0 || all.length > topicsMax) return null;
  if (!isTexts(publishes) || !isTexts(subscribes)) return null;
  return { kind: 'topics', user, publishes, subscribes };
}

function isTexts(values: readonly unknown[]): values is readonly string[] {
  return values.every((value) => typeof value === 'string');
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
