/** Attacks on the console and on sign-in. */
import { type Attack, type AttackTarget, post } from './attack.ts';

const json = 'Content-Type: application/json\r\n';

function consoleCalls(methods: readonly string[], params: object) {
  return (target: AttackTarget) => {
    const calls = Array.from({ length: 50 }, (_, id) => ({
      ...{ jsonrpc: '2.0', id, method: methods[id % methods.length], params },
    }));
    const headers = `${json}X-API-Version: 1.2\r\n${target.session}`;
    return post('/v1/rpc', Buffer.from(JSON.stringify(calls)), headers);
  };
}

/** Attack → how it is made. */
export const peopleAttacks: Readonly<Record<string, Attack>> = {
  'sign-ins': {
    connections: 100,
    request: () => {
      const body = JSON.stringify({ name: 'nobody', password: 'a wrong password' });
      return post('/console/session', Buffer.from(body), json);
    },
  },
  'token requests': {
    connections: 100,
    request: () => {
      const form = 'grant_type=client_credentials&client_id=nobody&client_secret=wrong';
      return post(
        '/v1/oauth/token',
        Buffer.from(form),
        'Content-Type: application/x-www-form-urlencoded\r\n',
      );
    },
  },
  'console overviews': {
    connections: 50,
    request: consoleCalls(
      ['overview', 'sizes', 'usage', 'signals.silent', 'integrations.list', 'health'].map(
        (name) => `console.${name}`,
      ),
      {},
    ),
  },
  'console rules': {
    connections: 20,
    request: consoleCalls(['console.rules.preview'], {
      rule: { name: 'all', filter: { description: { $regex: '(x+x+)+y' } }, item: { name: '{name}' } },
    }),
  },
};
