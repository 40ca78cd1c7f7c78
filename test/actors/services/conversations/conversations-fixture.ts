import { type Api, aGateway, type Gateway, PHONE } from '../../../support/gateway.ts';
import type { Scope, StoreKind } from '../../../support/stores.ts';

/** A tenant with one device, and people who write to it. */
export async function anInbox(scope: Scope, kind: StoreKind) {
  const gateway = await aGateway(scope, { kind });
  const acme = await gateway.signUp();
  const device = await acme.linked(PHONE);
  return { gateway, acme, device, api: acme.api, ...inboxOf(gateway, acme.api, device.path) };
}

export function inboxOf({ sandbox, until }: Gateway, api: Api, path: string) {
  const chat = async (who: string) => (await api('GET', `${path}/chats/${who}`)).body;
  return {
    chat,
    write: (from: string, body: string) => sandbox.phone(from).write({ to: PHONE, content: { type: 'text', body } }),
    /** Waits until the last message of somebody's chat is this one. */
    receives: (who: string, body: string) =>
      until(`the inbox shows ${body}`, async () => {
        const found = await chat(who);
        return found.last_message === body && found;
      }),
    list: async (query = '') => (await api('GET', `/v1/inbox?${query}`)).body.chats,
  };
}
