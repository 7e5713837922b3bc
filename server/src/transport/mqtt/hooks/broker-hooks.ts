/** Decides for another broker about its clients, by the rules of the embedded one (M4, M5). */
import { isIP } from 'node:net';
import type { Caller, ClientOrigin } from '#model/caller';
import { AppError } from '#model/error';
import type { IntegrationCallers } from '#protocol/authenticator';
import type { BasicCredentials } from '#protocol/authorization';
import { checkPassword, type PasswordOptions } from '#protocol/passwords';
import { isSameSecret } from '../../http/same-secret.ts';
import { mayPublish, maySee } from '../topics.ts';
import type { ConnectQuestion, HookQuestion, TopicQuestion } from './hook-form.ts';

/** Dependencies of {@link BrokerHooks}. */
export interface BrokerHooksOptions extends PasswordOptions {
  authenticator: PasswordOptions['authenticator'] & IntegrationCallers;
  /** Who the service itself is at that broker, where it may do everything; null: it is no client of it. */
  own: BasicCredentials | null;
}

/** The decisions. */
export class BrokerHooks {
  readonly #options: BrokerHooksOptions;

  constructor(options: BrokerHooksOptions) {
    this.#options = options;
  }

  /** Whether the answer is yes. What cannot be decided now is refused: the broker would take an error for leave to go on. */
  async allows(question: HookQuestion, from: ClientOrigin): Promise<boolean> {
    if (question === null) return false;
    try {
      if (question.kind === 'connect') return await this.#mayConnect(question, from);
      return await this.#mayUse(question);
    } catch (error) {
      if (error instanceof AppError) return false;
      throw error;
    }
  }

  async #mayConnect({ user, password, address }: ConnectQuestion, from: ClientOrigin): Promise<boolean> {
    const { own } = this.#options;
    if (own?.user === user) return isSameSecret(password, own.password);
    const origin = isIP(address) === 0 ? from : { ...from, address };
    const { caller } = await checkPassword(this.#options, { user, password }, origin);
    return caller !== null;
  }

  async #mayUse({ user, publishes, subscribes }: TopicQuestion): Promise<boolean> {
    if (this.#options.own?.user === user) return true;
    const caller = await this.#options.authenticator.callerOfIntegration(user);
    if (caller === null) return false;
    return (
      publishes.every((topic) => mayPublish(topic, user)) &&
      subscribes.every((filter) => sees(caller, filter))
    );
  }
}

function sees({ integration, grants }: Caller, filter: string): boolean {
  return maySee(filter, integration, grants.has('service'));
}
