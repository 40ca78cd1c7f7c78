import { hash } from 'node:crypto';
import type { Dispatcher } from 'undici';
import type { Clock } from '../../../runtime/clock.ts';
import { fairSlices } from '../../../runtime/fair-slices.ts';
import { isRecord } from '../../../runtime/shapes.ts';
import type { Windows } from '../../../store/conversations/windows.ts';
import { HOOK_KEPT_MS, type OfficialHooks } from '../../../store/devices/official-hooks.ts';
import type { OfficialNumber } from '../../../store/devices/official-number.ts';
import type { OfficialNumbers } from '../../../store/devices/official-numbers.ts';
import type { OfficialPeople } from '../../../store/devices/official-people.ts';
import type { OfficialReach } from '../../../store/devices/official-reach.ts';
import type { Messages, Owner } from '../../../store/messaging/messages.ts';
import { factsOf } from '../../domain/phone-numbers.ts';
import { refusal } from '../../domain/refusals.ts';
import { userJid } from '../../network/jid.ts';
import type { GraphAddress } from '../../network/official/graph-client.ts';
import type { HookChange, OfficialLogin, StoredHook } from '../../network/official/login.ts';
import { subjectOf } from '../../network/subject.ts';
import type { ConsentService } from '../consent/consent-service.ts';
import type { IdentityResolver } from '../identities/identities.ts';
import { ErasedPeople, type ErasedPeopleDeps, withoutErased } from './erased-people.ts';
import { type OfficialKeyring, webhookUrl } from './keys.ts';
import type { PriceBook } from './prices.ts';
import type { ReplyLimit } from './reply-limit.ts';
import { type OfficialTemplatesDeps, syncOfficial } from './templates.ts';
import type { OfficialUpdates } from './updates.ts';

export interface GraphPlace {
  readonly url: string;
  readonly version: string | null;
  readonly dispatcher: Dispatcher;
}

export interface OpenLoginDeps extends ErasedPeopleDeps {
  readonly officialNumbers: OfficialNumbers;
  readonly officialHooks: OfficialHooks;
  readonly officialPeople: OfficialPeople;
  readonly officialKeys: OfficialKeyring;
  readonly officialReach: OfficialReach;
  readonly priceBook: PriceBook;
  readonly replyLimit: Pick<ReplyLimit, 'countService'>;
  readonly messages: Pick<Messages, 'prove' | 'noteHeld' | 'noteCost'>;
  readonly windows: Windows;
  readonly people: Pick<IdentityResolver, 'resolve' | 'learn'>;
  readonly consentService: Pick<ConsentService, 'receive'>;
  readonly clock: Clock;
  graph(): Promise<GraphPlace>;
  address(): string;
  readonly updates: OfficialUpdates;
  readonly templates: OfficialTemplatesDeps;
  hint(owner: Owner): void;
}

export async function openLogin(deps: OpenLoginDeps, owner: Owner): Promise<OfficialLogin> {
  const { tenantId, sessionId } = owner;
  const row = await deps.officialNumbers.find(tenantId, sessionId);
  if (!row) throw refusal('NOT_FOUND');
  const { official } = row;
  const keys = deps.officialKeys.open(row);
  const { url, version, dispatcher } = await deps.graph();
  const address: GraphAddress = { url, version: version === null ? null : (official.graph_version ?? version) };
  let { tier, currency } = official;
  const erased = new ErasedPeople(deps, tenantId);
  const addressOfUser = async (userId: string): Promise<string> =>
    (await deps.officialPeople.known(tenantId, userId)) ?? aliasFor(tenantId, userId);
  const login: OfficialLogin = {
    ...{ sessionId, address, dispatcher, clock: deps.clock },
    phoneNumberId: official.phone_number_id,
    wabaId: official.waba_id,
    appId: official.app_id,
    appSecret: keys.app_secret,
    token: keys.access_token,
    pin: keys.pin === '' ? null : keys.pin,
    callbackUrl: webhookUrl(deps.address(), keys.token),
    verifyToken: keys.verify_token,
    async hooks(limit) {
      const hooks: StoredHook[] = [];
      for (const { _id: id, body, expires_at } of await deps.officialHooks.waiting(sessionId, limit))
        hooks.push({
          id,
          async changes() {
            if (body.length > LONG) await fairSlices.turn(tenantId);
            const changes = changesIn(deps.officialKeys.openHook(sessionId, body));
            return withoutErased(changes, await erased.since(expires_at - HOOK_KEPT_MS), addressOfUser);
          },
        });
      return hooks;
    },
    hooksDone: (ids) => deps.officialHooks.done(ids),
    async note(health) {
      const before = (await deps.officialNumbers.find(tenantId, sessionId))?.official;
      const after = (await deps.officialNumbers.set(tenantId, sessionId, health))?.official;
      if (after) ({ tier, currency } = after);
      if (after && before && !isSameHealth(before, after)) await deps.updates.healthChanged(owner, after);
    },
    async prove(id, attempt, netId, at) {
      const isProved = await deps.messages.prove(sessionId, id, attempt, netId, at);
      if (isProved) deps.hint(owner);
      return isProved;
    },
    aliasOf: async (userId) =>
      (await deps.officialPeople.known(tenantId, userId)) ?? deps.officialPeople.aliasOf(tenantId, userId, aliasFor(tenantId, userId)),
    knownAlias: (userId) => deps.officialPeople.known(tenantId, userId),
    personAt: (alias) => deps.officialPeople.find(tenantId, alias),
    async moved({ from, to, at }) {
      const alias = from.userId === null ? null : await deps.officialPeople.known(tenantId, from.userId);
      if (alias !== null && from.userId !== null && to.userId !== null)
        await deps.officialPeople.moved(tenantId, alias, { before: from.userId, now: to.userId });
      if (to.phone === null) return;
      // If the number behind an alias is known, the alias is replaced by that number.
      const addresses = [from.phone === null ? null : userJid(from.phone), alias && (await deps.people.resolve(tenantId, alias))];
      const said = { phone: to.phone, username: null, source: 'notice', at: Math.min(at, deps.clock.now()) } as const;
      for (const address of new Set(addresses)) if (address !== null) await deps.people.learn(tenantId, { ...said, address });
    },
    async prefers(address, wantsMarketing, saidAt) {
      const subject = subjectOf(await deps.people.resolve(tenantId, address));
      const now = deps.clock.now();
      const status = wantsMarketing ? 'opted_in' : 'opted_out';
      const cause = `preference ${sessionId} ${saidAt} ${status}`;
      // If the platform's time is in the future, our own time is used.
      const said = { status, source: 'network', note: 'marketing', at: now, saidAt: Math.min(saidAt, now), cause } as const;
      if (subject !== null) await deps.consentService.receive(tenantId, subject, said);
    },
    async reach(chat) {
      if (tier === null) return 0;
      return deps.officialReach.take({ tenantId, wabaId: official.waba_id }, chat, tier, deps.clock.now());
    },
    async priced({ id, wamid, category, type, billable, phone, userId, at }) {
      const country = countryOf(phone, userId);
      const price = billable ? await deps.priceBook.priceOf({ currency, country, category }, at) : 0;
      const amounts = { amount: price, currency: price === null ? null : (currency ?? null) };
      const cost = { category, type, billable, country, ...amounts };
      if (!(await deps.messages.noteCost(sessionId, { id, netId: wamid }, cost))) return;
      if (category === 'service') await deps.replyLimit.countService(owner, deps.clock.now());
      deps.hint(owner);
    },
    held: (id) => deps.messages.noteHeld(sessionId, id),
    syncTemplates: (name) => syncOfficial(deps.templates, owner, login, name),
    windowClosed: async (address, at) => deps.windows.close(sessionId, await deps.people.resolve(tenantId, address), at),
    isOpen: async (chat) => ((await deps.windows.end(sessionId, chat, deps.clock.now())) ?? 0) > deps.clock.now(),
  };
  return login;
}

const countryOf = (phone: string | null, userId: string | null): string | null =>
  (phone === null ? null : factsOf(phone)?.country) ?? /^([A-Z]{2})\./.exec(userId ?? '')?.[1] ?? null;

const LONG = 64 * 1024;

const isSameHealth = (one: Health, other: Health): boolean =>
  one.quality === other.quality && one.tier === other.tier && one.can_send === other.can_send;

type Health = Pick<OfficialNumber, 'quality' | 'tier' | 'can_send'>;

function changesIn(text: string): readonly HookChange[] {
  const changes: unknown = JSON.parse(text);
  return Array.isArray(changes)
    ? changes.filter(isRecord).map(({ field, value }) => ({ field: typeof field === 'string' ? field : '', value }))
    : [];
}

/** Hidden addresses made here have 20 digits, because the network's own have at most 15. */
function aliasFor(tenantId: string, userId: string): string {
  const digest = hash('sha256', `${tenantId} ${userId}`, 'buffer');
  return `9${String(digest.readBigUInt64BE(0) % 10n ** 19n).padStart(19, '0')}@lid`;
}
