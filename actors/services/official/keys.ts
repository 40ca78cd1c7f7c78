import { hash, randomBytes } from 'node:crypto';
import { FairCache } from '../../../runtime/fair-cache.ts';
import type { Sealer } from '../../../runtime/sealing/seal.ts';
import type { DeviceRow } from '../../../store/devices/devices.ts';
import { type OfficialNumber, type OfficialSecret, officialSecretOf } from '../../../store/devices/official-number.ts';
import type { OfficialNumbers } from '../../../store/devices/official-numbers.ts';

export interface GivenKeys {
  readonly phone_number_id: string;
  readonly waba_id: string;
  readonly app_id: string;
  readonly app_secret: string;
  readonly access_token: string;
  readonly pin?: string | null;
  readonly graph_version?: string | null;
}

export interface RenewedKeys extends Partial<Pick<GivenKeys, 'app_secret' | 'access_token' | 'pin' | 'graph_version'>> {
  readonly end_former?: boolean;
}

export type OpenedKeys = Readonly<Record<OfficialSecret, string>>;

const FORMER_MS = 86_400_000;
const TOKEN_BYTES = 32;
const SECRETS_REMEMBERED = 2_000;

export const webhookUrl = (address: string, token: string): string => `${address}/hooks/official/${token}`;

export const hookHash = (token: string): string => hash('sha256', token, 'base64url');

export class OfficialKeyring {
  readonly #sealer: Sealer;
  readonly #numbers: OfficialNumbers;
  /** By tenant, device and sealed form: a forged webhook must cost little for an app with many numbers. */
  readonly #appSecrets = new FairCache<string>(SECRETS_REMEMBERED);

  constructor(sealer: Sealer, numbers: OfficialNumbers) {
    this.#sealer = sealer;
    this.#numbers = numbers;
  }

  /** Creates a number's keys. The verify token is returned only here. */
  async make({ tenant_id, _id }: Pick<DeviceRow, 'tenant_id' | '_id'>, given: GivenKeys) {
    const [other] = await this.#numbers.ofApp(tenant_id, given.app_id);
    const shared = other ? this.open(other) : null;
    const token = shared?.token ?? randomBytes(TOKEN_BYTES).toString('base64url');
    const verifyToken = shared?.verify_token ?? randomBytes(TOKEN_BYTES).toString('base64url');
    const seal = (name: OfficialSecret, secret: string): string => this.#sealer.seal(_id, officialSecretOf(name), secret);
    const official: OfficialNumber = {
      phone_number_id: given.phone_number_id,
      waba_id: given.waba_id,
      app_id: given.app_id,
      graph_version: given.graph_version ?? null,
      hook: hookHash(token),
      token: seal('token', token),
      verify_token: seal('verify_token', verifyToken),
      app_secret: seal('app_secret', given.app_secret),
      access_token: seal('access_token', given.access_token),
      pin: given.pin ? seal('pin', given.pin) : null,
      ...{ former: null, quality: null, tier: null, can_send: false, token_expires_at: null, checks: [] },
    };
    return { official, verifyToken };
  }

  open({ _id, official }: { readonly _id: string; readonly official: OfficialNumber }): OpenedKeys {
    const open = (name: OfficialSecret): string => {
      const sealed = official[name];
      return sealed === null ? '' : this.#sealer.open(_id, officialSecretOf(name), sealed);
    };
    return {
      token: open('token'),
      verify_token: open('verify_token'),
      app_secret: open('app_secret'),
      access_token: open('access_token'),
      pin: open('pin'),
    };
  }

  /** The secrets of the app that sign webhooks now: its own, and for a day its former one. */
  appSecrets(
    { tenant_id, _id, official: { app_secret, former } }: Pick<DeviceRow, 'tenant_id' | '_id'> & { readonly official: OfficialNumber },
    now: number,
  ): string[] {
    const isValid = former && former.until > now;
    const sealed = isValid ? [app_secret, former.app_secret] : [app_secret];
    return sealed.map((one) => this.#openAppSecret(tenant_id, _id, one));
  }

  #openAppSecret(tenantId: string, sessionId: string, sealed: string): string {
    const key = `${sessionId} ${sealed}`;
    const known = this.#appSecrets.get(tenantId, key);
    if (known !== undefined) return known;
    const opened = this.#sealer.open(sessionId, officialSecretOf('app_secret'), sealed);
    this.#appSecrets.set(tenantId, key, opened);
    return opened;
  }

  renewed(row: { readonly _id: string; readonly official: OfficialNumber }, keys: RenewedKeys, now: number): Partial<OfficialNumber> {
    const seal = (name: OfficialSecret, secret: string): string => this.#sealer.seal(row._id, officialSecretOf(name), secret);
    const { app_secret, access_token, pin, graph_version, end_former } = keys;
    const until = now + FORMER_MS;
    const former = app_secret !== undefined && end_former !== true ? { app_secret: row.official.app_secret, until } : null;
    return {
      ...(access_token !== undefined && { access_token: seal('access_token', access_token) }),
      ...(pin !== undefined && { pin: pin === null ? null : seal('pin', pin) }),
      ...(graph_version !== undefined && { graph_version }),
      ...(app_secret !== undefined && { app_secret: seal('app_secret', app_secret) }),
      ...((app_secret !== undefined || end_former === true) && { former }),
    };
  }

  sealHook(sessionId: string, body: string): string {
    return this.#sealer.seal(sessionId, officialSecretOf('webhook'), body);
  }

  openHook(sessionId: string, sealed: string): string {
    return this.#sealer.open(sessionId, officialSecretOf('webhook'), sealed);
  }
}
