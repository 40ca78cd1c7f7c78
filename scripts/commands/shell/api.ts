import type { Operations } from '../../../http/openapi/client/gateway.generated.ts';
import { isRecord } from '../../../runtime/shapes.ts';
import { type Input, requestOf } from '../../client/client.ts';
import { Failure } from '../cluster/operator.ts';
import { type Credential, credentialFor, credentialsFile, keepCredential } from './credentials.ts';

const SIGN_IN = 'Run `gateway sign-in`, or set GATEWAY_KEY to an API key.';

class Unknown extends Failure {}

export const unlessUnknown = <T>(call: Promise<T>): Promise<T | null> =>
  call.catch((cause: unknown) => {
    if (cause instanceof Unknown) return null;
    throw cause;
  });

export class Unreachable extends Failure {}

export class Api {
  readonly url: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #file: string;

  constructor(url: string, env: NodeJS.ProcessEnv) {
    this.url = url.replace(/\/+$/, '');
    this.#env = env;
    this.#file = credentialsFile(env);
  }

  async call<Id extends keyof Operations>(
    id: Id,
    input: Input<Id>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Operations[Id]['answer']> {
    return JSON.parse(await this.text(id, input, headers));
  }

  async text<Id extends keyof Operations>(id: Id, input: Input<Id>, headers: Readonly<Record<string, string>> = {}): Promise<string> {
    const { method, path, body } = requestOf(id, input);
    const credential = this.#credential();
    const first = await this.#fetch(method, path, body, { ...headers, authorization: `Bearer ${bearerOf(credential)}` });
    if (first.status !== 401 || 'key' in credential) return textOf(first);
    const renewed = await this.#renewed(credential.refresh_token);
    return textOf(await this.#fetch(method, path, body, { ...headers, authorization: `Bearer ${renewed.token}` }));
  }

  async open<Id extends keyof Operations>(id: Id, input: Input<Id>): Promise<Operations[Id]['answer']> {
    const { method, path, body } = requestOf(id, input);
    return JSON.parse(await textOf(await this.#fetch(method, path, body, {})));
  }

  keep(credential: Credential | null): void {
    keepCredential(this.#file, this.url, credential);
  }

  #credential(): Credential {
    const key = this.#env['GATEWAY_KEY'];
    const found = key ? { key } : credentialFor(this.#file, this.url);
    if (!found) throw new Failure(`You are not signed in. ${SIGN_IN}`);
    return found;
  }

  async #renewed(refresh_token: string): Promise<{ token: string; refresh_token: string }> {
    const answer = await this.#fetch('POST', '/auth/refresh', { refresh_token }, {});
    const found: unknown = answer.ok ? JSON.parse(answer.body) : null;
    const { token, refresh_token: next } = isRecord(found) ? found : {};
    if (typeof token !== 'string' || typeof next !== 'string') throw new Failure(`Your login has expired. ${SIGN_IN}`);
    const renewed = { token, refresh_token: next };
    this.keep(renewed);
    return renewed;
  }

  async #fetch(method: string, path: string, body: unknown, headers: Readonly<Record<string, string>>): Promise<Answer> {
    try {
      const answer = await fetch(`${this.url}${path}`, {
        method,
        redirect: 'manual',
        headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      return { ok: answer.ok, status: answer.status, body: await answer.text(), url: this.url };
    } catch {
      throw new Unreachable(`No gateway answers at ${this.url}. Start one (npm start), or set its address with GATEWAY_URL or --url.`);
    }
  }
}

interface Answer {
  readonly ok: boolean;
  readonly status: number;
  readonly body: string;
  readonly url: string;
}

const bearerOf = (credential: Credential): string => ('key' in credential ? credential.key : credential.token);

async function textOf({ ok, status, body, url }: Answer): Promise<string> {
  if (ok) return body;
  const refused = /^\{.*"error":/s.test(body) ? JSON.parse(body) : null;
  if (refused?.code === 'NOT_FOUND') throw new Unknown(`${refused.error} (${refused.code}).`);
  const sentence = refused ? `${refused.error} (${refused.code}).` : `${url} answered ${status}. Check that a gateway is running there.`;
  throw status === 429 || status >= 500 ? new Unreachable(sentence) : new Failure(sentence);
}
