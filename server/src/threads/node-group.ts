/** The processes of a service as one of them sees them: where there is only one, and where others can be asked. */
import type { Members, NodeAnswers, NodeGroup } from '#storage/coordination';

/** Asks all processes. */
export type AskNodes = (question: string, detail: unknown) => Promise<NodeAnswers<unknown>[]>;

/** A group in which `askNodes` reaches all processes. */
export function nodeGroup(own: string, askNodes: AskNodes): NodeGroup {
  const ask = <T>(question: string, detail?: unknown) =>
    askNodes(question, detail) as Promise<NodeAnswers<T>[]>;
  return {
    own,
    ask,
    async askAll<T>(question: string, detail?: unknown, silent?: Set<string>) {
      const found = await ask<T>(question, detail);
      for (const { id, answers } of found) if (answers === null) silent?.add(id);
      return found.flatMap(({ answers }) => answers ?? []);
    },
  };
}

/** The only process. */
export function soleNode(members: Members): NodeGroup {
  return nodeGroup('', async (question, detail) => [
    {
      ...{ id: '', version: '', startedAtMs: 0, silentMs: 0, delayMs: 0 },
      answers: await members.ask(question, detail),
    },
  ]);
}
