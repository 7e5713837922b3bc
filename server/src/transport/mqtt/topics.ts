/** The topics of the broker: the only file that knows their forms, and which call each of them is (M2-M4). */

/** What a topic that clients publish to means. */
export interface PublishTopic {
  /** The integration in the topic; the client's own if the topic has none. */
  integration: string;
  /** The call, and the parameter that is the payload. */
  method: string;
  parameter: string;
  /** The input key of a single value; null: the payload is the parameter as JSON. */
  input: string | null;
}

interface Form {
  method: string;
  parameter: string;
  hasInput: boolean;
}

/** The forms by their first level after the integration. */
const forms: Readonly<Record<string, Form>> = {
  dataframe: { method: 'integration.insert', parameter: 'data', hasInput: false },
  signals: { method: 'integration.saveSignals', parameter: 'signalsByInput', hasInput: false },
  value: { method: 'integration.insert', parameter: 'data', hasInput: true },
};

/** What the service subscribes to at another broker, which gives each message to one of those that subscribe so. */
export const sharedFilters: readonly string[] = Object.entries(forms).map(
  ([name, { hasInput }]) => `$share/tidemark/+/${name}${hasInput ? '/#' : ''}`,
);

/** The levels that follow the integration, for messages about topics. */
export const publishForms = 'dataframe, signals or value/INPUT, each with or without INTEGRATION/ before it';

/** Reads the topic of a message from a client of integration `own`; null when it is none that clients publish to. */
export function parsePublishTopic(topic: string, own: string): PublishTopic | null {
  const short = readForm(topic, own);
  if (short !== null) return short;
  const slash = topic.indexOf('/');
  return slash < 0 ? null : readForm(topic.slice(slash + 1), topic.slice(0, slash));
}

function readForm(path: string, integration: string): PublishTopic | null {
  const slash = path.indexOf('/');
  const name = slash < 0 ? path : path.slice(0, slash);
  const form = Object.hasOwn(forms, name) ? forms[name] : undefined;
  if (form === undefined || form.hasInput !== slash >= 0) return null;
  const { method, parameter } = form;
  return { integration, method, parameter, input: form.hasInput ? path.slice(slash + 1) : null };
}

/** A topic with the integration in it, as subscribers see it. */
export function fullTopic(topic: string, own: string): string {
  return readForm(topic, own) === null ? topic : `${own}/${topic}`;
}

/** Where rejected messages of an integration are described (M3). */
export function errorsTopic(integration: string): string {
  return `${integration}/errors`;
}

/** Each new value of an item. */
export function itemTopic(item: string): string {
  return `items/${item}`;
}

/** The values of each insert, all in one message. */
export function itemFrameTopic(item: string): string {
  return `items/${item}/frame`;
}

const itemForm = /^items\/([^/+#]+)(\/frame)?$/;

/** The item of a topic of live values; null for any other topic, and for a filter with wildcards. */
export function parseItemTopic(topic: string): { item: string; isFrame: boolean } | null {
  const match = itemForm.exec(topic);
  return match === null ? null : { item: match[1], isFrame: match[2] !== undefined };
}

/** Whether a client may see the messages of a topic, or of a filter: its own integration's, and items if it may read (M4). */
export function maySee(filter: string, integration: string, maySeeItems: boolean): boolean {
  if (maySeeItems && parseItemTopic(filter) !== null) return true;
  return filter.startsWith(`${integration}/`);
}

/** Whether another broker may take a message of a client: the service reads only topics that name the integration (M5). */
export function mayPublish(topic: string, integration: string): boolean {
  const own = `${integration}/`;
  return topic.startsWith(own) && readForm(topic.slice(own.length), integration) !== null;
}
