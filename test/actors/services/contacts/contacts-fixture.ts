import { type Answer, type Api, aGateway, type Gateway } from '../../../support/gateway.ts';
import { NEVER_FULL } from '../../../support/limits.ts';
import type { Scope, StoreKind } from '../../../support/stores.ts';

type Body = Answer['body'];

/** A business with contacts, without a phone. */
export async function anAddressBook(scope: Scope, kind: StoreKind) {
  const gateway = await aGateway(scope, { kind, limits: NEVER_FULL });
  const acme = await gateway.signUp();
  return { gateway, acme, ...bookOf(gateway, acme.api) };
}

export function bookOf(gateway: Gateway, api: Api) {
  /** Fails unless it is answered with this status; gives the body. */
  const ask = async (
    status: number,
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Body> => {
    const answer = await gateway.during(api(method, path, body, headers));
    if (answer.status !== status) throw new Error(`${method} ${path} → ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  return {
    api,
    ask,
    add: (phone: string, more: object = {}): Promise<Body> => ask(201, 'POST', '/v1/contacts', { phone, ...more }),
    names: async (query: string): Promise<readonly string[]> =>
      (await ask(200, 'GET', `/v1/contacts?${query}`)).contacts.map(({ name }: Body) => name),
    /** Waits until a bulk action or an import is over; gives what is said of it. */
    done: (path: string): Promise<Body> =>
      gateway.until('the job runner is through', async () => {
        const { body } = await api('GET', path);
        return (body.status === 'done' || body.status === 'failed') && body;
      }),
  };
}

export const phoneNo = (nth: number): string => `62812${String(10_000_000 + nth)}`;
