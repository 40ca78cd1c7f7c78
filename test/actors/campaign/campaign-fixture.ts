import type { Api, Device, Gateway } from '../../support/gateway.ts';
import { PHONE } from '../../support/gateway.ts';

export interface Fixture {
  readonly api: Api;
  readonly device: Device;
  readonly token: string;
}

/** A business with a device online and a send window that never closes. */
export async function aCampaignFixture(gateway: Gateway): Promise<Fixture> {
  const tenant = await gateway.signUp();
  const device = await tenant.linked(PHONE);
  await tenant.api('PUT', '/v1/settings', { send_window: { enabled: false } });
  return { api: tenant.api, device, token: tenant.tokens.token };
}

/** Returns `count` different phone numbers. */
export const phones = (count: number): string[] => Array.from({ length: count }, (_, nth) => `62812111${String(nth).padStart(5, '0')}`);

/** The texts that a phone has received, the first one first. */
export const textsOn = ({ sandbox }: Gateway, phone: string): string[] =>
  sandbox
    .phone(phone)
    .messages(500)
    .flatMap(({ content }) => (content.type === 'text' ? [content.body] : []))
    .toReversed();

/** A draft that says Hello to all of them; gives its path. */
export async function aCampaign({ during }: Gateway, fixture: Fixture, people: readonly string[], more: object = {}): Promise<string> {
  const recipients = people.map((phone) => ({ phone }));
  const draft = { session_id: fixture.device.id, name: 'Hello', message_type: 'text', body: 'Hello', recipients, ...more };
  const { status, body } = await during(fixture.api('POST', '/v1/blasts', draft));
  if (status !== 201) throw new Error(`no draft: ${status} ${JSON.stringify(body)}`);
  return `/v1/blasts/${body.id}`;
}

/** How many of these people have received something. */
export const reachedOf = (gateway: Gateway, people: readonly string[]): number =>
  people.filter((phone) => textsOn(gateway, phone).length > 0).length;
