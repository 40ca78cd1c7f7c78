import { createHmac, hash, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { ActorRef } from '../../../runtime/actor-system/actor.ts';
import type { Sealer } from '../../../runtime/sealing/seal.ts';
import type { StoreHooks } from '../../../store/store-links/hooks.ts';
import type { StoreLinkRow, StoreLinks } from '../../../store/store-links/links.ts';
import { refusal } from '../../domain/refusals.ts';
import type { StoreLinkCommand } from '../../store-link/protocol.ts';
import type { HooksInHand, ReceivedHook } from './at-once.ts';
import { hookRowOf } from './hook-row.ts';
import type { SigningKeys } from './signing-keys.ts';

/**
 * Receives webhooks from stores. A webhook is stored in `store_hooks` before it is acknowledged.
 * Webhooks are processed in order.
 */

export interface ReceiveDeps {
  readonly links: Pick<StoreLinks, 'findByToken' | 'noteRefused'>;
  readonly hooks: Pick<StoreHooks, 'add' | 'find'>;
  readonly sealer: Pick<Sealer, 'seal'>;
  readonly signingKeys: SigningKeys;
  atOnce(link: Pick<StoreLinkRow, '_id' | 'tenant_id'>, hook: ReceivedHook): Promise<string | null>;
  readonly inHand: HooksInHand;
  monotonic(): number;
  storeLink(link: Pick<StoreLinkRow, '_id' | 'tenant_id'>): ActorRef<StoreLinkCommand>;
  /** Called only after the signature was checked, so that a stranger cannot use up the limit. */
  countHook(linkId: string, now: number): Promise<void>;
  countForgery(address: string, now: number): Promise<void>;
}

export interface StoreCall {
  readonly token: string;
  readonly raw: Buffer;
  readonly type: string;
  readonly webhookId: string | undefined;
  readonly header: (name: string) => string | undefined;
  readonly address: string;
  readonly now: number;
}

export interface Received {
  readonly ok: true;
  readonly outcome?: string;
}

/** Longest delay of a response; stores wait five seconds at most. Longer work continues afterwards. */
const ANSWER_MS = 700;
const MAX_TOPIC = 100;
const MAX_DOMAIN = 255;

const HEADERS = {
  platform_a: {
    signature: ['x-shopify-hmac-sha256', 'shopify-hmac-sha256', 'x-platforma-hmac-sha256'],
    topic: ['x-shopify-topic', 'shopify-topic', 'x-platforma-topic'],
    shop: ['x-shopify-shop-domain', 'shopify-shop-domain', 'x-platforma-shop-domain'],
  },
  platform_b: {
    signature: ['x-wc-webhook-signature', 'x-platformb-webhook-signature'],
    topic: ['x-wc-webhook-topic', 'x-platformb-webhook-topic'],
    shop: ['x-wc-webhook-source', 'x-platformb-webhook-source'],
  },
} as const;

export const STORE_HEADERS: readonly string[] = Object.values(HEADERS).flatMap(({ signature, topic, shop }) => [
  ...signature,
  ...topic,
  ...shop,
]);

export const tokenHash = (token: string): string => hash('sha256', token, 'base64url');

export async function receive(deps: ReceiveDeps, call: StoreCall): Promise<Received> {
  const { now } = call;
  const link = await deps.links.findByToken(tokenHash(call.token));
  if (!link) throw refusal('NOT_FOUND');
  if (link.platform === 'platform_b' && isAddressCheck(call)) return { ok: true };
  if (link.secret === null) throw refusal('NO_SECRET');
  if (!isSigned(deps.signingKeys, link, call)) {
    await deps.countForgery(call.address, now);
    // Shows the owner why events are missing. Usually, the secret that they saved is wrong.
    if (link.last_error !== 'bad_signature') await deps.links.noteRefused(link.tenant_id, link._id);
    throw refusal('BAD_SIGNATURE');
  }
  await deps.countHook(link._id, now);
  const until = deps.monotonic() + ANSWER_MS;
  const hook = receivedFrom(link, call);
  const outcome = await deps.inHand.hold(link._id, async (isAlone) => {
    const atOnce = isAlone ? await deps.atOnce(link, hook) : null;
    if (atOnce !== null) return atOnce;
    const hookId = await deps.hooks.add(hookRowOf(link, hook, deps.sealer.seal(link._id, 'store webhook', hook.body)));
    return outcomeOf(deps, link, hookId, until);
  });
  return outcome === null ? { ok: true } : { ok: true, outcome };
}

/** Whether WooCommerce is checking the URL with its unsigned request. A 200 enables the webhook. */
function isAddressCheck({ webhookId, raw, type, header }: StoreCall): boolean {
  const isUnsigned = first(header, HEADERS.platform_b.signature) === undefined;
  if (!isUnsigned) return false;
  if (webhookId !== undefined) return /^\d+$/.test(webhookId);
  return type.startsWith('application/x-www-form-urlencoded') && /^webhook_id=\d+$/.test(raw.subarray(0, 64).toString());
}

function isSigned(signingKeys: SigningKeys, link: StoreLinkRow, { raw, header, now }: StoreCall): boolean {
  const given = Buffer.from(first(header, HEADERS[link.platform].signature) ?? '', 'utf8');
  const former = link.former_secret;
  const secrets = [link.secret, former !== null && former.until > now ? former.secret : null];
  // The signature is compared with all keys, so that the time does not reveal which one matched.
  const keys = secrets.map((sealed) => sealed && signingKeys(link._id, sealed));
  return keys.map((key) => key !== null && key !== '' && isEqual(signatureOf(key, raw), given)).includes(true);
}

const signatureOf = (key: KeyObject, raw: Buffer): Buffer => Buffer.from(createHmac('sha256', key).update(raw).digest('base64'));

const isEqual = (one: Buffer, other: Buffer): boolean => one.length === other.length && timingSafeEqual(one, other);

function receivedFrom(link: StoreLinkRow, { raw, header, now }: StoreCall): ReceivedHook {
  const names = HEADERS[link.platform];
  return {
    topic: (first(header, names.topic) ?? '').slice(0, MAX_TOPIC),
    body: raw.toString('utf8'),
    mark: first(header, names.signature) ?? null,
    shopDomain: first(header, names.shop)?.slice(0, MAX_DOMAIN) ?? null,
    arrivedAt: now,
  };
}

/** The webhook is already stored, so a failure here is not reported to the store. */
async function outcomeOf(
  { storeLink, hooks, monotonic }: ReceiveDeps,
  link: StoreLinkRow,
  hookId: string,
  until: number,
): Promise<string | null> {
  try {
    const told = await storeLink(link).ask({ type: 'hookArrived', hookId }, Math.max(1, until - monotonic()));
    return told ?? (await hooks.find(link._id, hookId))?.outcome ?? null;
  } catch {
    return null;
  }
}

function first(header: StoreCall['header'], names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = header(name);
    if (value !== undefined) return value;
  }
  return undefined;
}
