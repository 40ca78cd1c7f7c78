import type { Config } from '../../../../scripts/wiring/config.ts';
import { type Api, aGateway, codeOn, type Device, type Gateway, PHONE, type Tenant } from '../../../support/gateway.ts';
import type { Scope, StoreKind } from '../../../support/stores.ts';

export const DEWI = '6281311110001';
export const BUDI = '6281311110002';

/** An agent who signed in. */
export interface Colleague {
  readonly id: string;
  readonly api: Api;
  readonly tokens: { readonly token: string; readonly refresh_token: string; readonly role: string; readonly agent_name: string };
}

/** A tenant with a device and two agents at work. */
export interface Team {
  readonly gateway: Gateway;
  readonly owner: Api;
  readonly tenant: Tenant;
  readonly device: Device;
  readonly dewi: Colleague;
  readonly budi: Colleague;
}

export async function aTeam(scope: Scope, kind: StoreKind, config: Partial<Config> = {}): Promise<Team> {
  const gateway = await aGateway(scope, { kind, config });
  const tenant = await gateway.signUp();
  const device = await tenant.linked(PHONE);
  const owner = tenant.api;
  return {
    gateway,
    tenant,
    owner,
    device,
    dewi: await hired(gateway, owner, 'Dewi', DEWI),
    budi: await hired(gateway, owner, 'Budi', BUDI),
  };
}

/** Adds an agent, who signs in. */
export async function hired(gateway: Gateway, owner: Api, name: string, phone: string): Promise<Colleague> {
  const { status, body } = await owner('POST', '/v1/agents', { name, phone: `+${phone}` });
  if (status !== 201) throw new Error(`not hired: ${status} ${JSON.stringify(body)}`);
  const tokens = await signedIn(gateway, phone);
  return { id: body.id, api: gateway.as(tokens.token), tokens };
}

/** Signs in with the code that arrives on the phone (digits). */
export async function signedIn(gateway: Gateway, phone: string): Promise<Colleague['tokens']> {
  const received = () => gateway.sandbox.phone(phone).messages(100).length;
  const before = received();
  await gateway.api('POST', '/auth/request-otp', { phone: `+${phone}` });
  await gateway.until('the code arrives', () => received() > before);
  const { status, body } = await gateway.api('POST', '/auth/verify-otp', { phone: `+${phone}`, code: codeOn(gateway.sandbox, phone) });
  if (status !== 200) throw new Error(`not signed in: ${status} ${JSON.stringify(body)}`);
  return body;
}
