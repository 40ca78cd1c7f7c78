import { type Api, aGateway, type Gateway, PHONE } from '../../../support/gateway.ts';
import type { Scope, StoreKind } from '../../../support/stores.ts';

/** A tenant with one device, people who write to it, and what is known of their consent. */
export async function aConsentFixture(scope: Scope, kind: StoreKind) {
  const gateway = await aGateway(scope, { kind });
  const acme = await gateway.signUp();
  const device = await acme.linked(PHONE);
  return { gateway, acme, device, api: acme.api, ...peopleOf(gateway, acme.api) };
}

export function peopleOf({ sandbox, until, clock }: Gateway, api: Api) {
  const of = async (subject: string) => (await api('GET', `/v1/consent/history/%2B${subject}`)).body;
  const received = (subject: string): string[] =>
    sandbox
      .phone(subject)
      .messages(100)
      .flatMap(({ content }) => (content.type === 'text' ? [content.body] : []))
      .toReversed();
  return {
    of,
    write: (from: string, body: string, to = PHONE) => sandbox.phone(from).write({ to, content: { type: 'text', body } }),
    /** Waits until somebody's consent says so. */
    becomes: (subject: string, status: string) =>
      until(`${subject} is ${status}`, async () => (await of(subject)).current?.status === status),
    /** The texts that a phone received, oldest first. */
    received,
    /** Waits until a phone has received this many texts. */
    receives: (subject: string, count: number) =>
      until(`${subject} receives ${count}`, () => received(subject).length >= count && received(subject)),
    /** Long enough for anything that was to happen. */
    quiet: () => clock.advance(60_000),
  };
}
