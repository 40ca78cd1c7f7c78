import { derivedId } from '../../../runtime/derived-ids.ts';
import { folded } from '../../../store/contacts/contacts.ts';
import type { LabelLists, OfficialTemplate, TemplateRow } from '../../../store/contacts/labels.ts';
import type { Owner } from '../../../store/messaging/messages.ts';
import { bodyOf, headerFileOf, isNamed } from '../../domain/official-templates.ts';
import { beyondLimit } from '../../domain/plans.ts';
import { refusal } from '../../domain/refusals.ts';
import { GraphClient, type Outcome } from '../../network/official/graph-client.ts';
import type { OfficialLogin } from '../../network/official/login.ts';
import { listTemplates, removeTemplate, submitTemplate, type VendorTemplate } from '../../network/official/templates.ts';
import { MAX_TEMPLATES } from '../contacts/templates.ts';
import type { Draft } from '../events/types.ts';

/**
 * Stores templates of the vendor's platform next to the tenant's own. The ID of a row is derived
 * from account, name and language, so that concurrent syncs write the same row. A changed row is
 * stored as `untold` before its event is recorded. Readers of the event therefore find the change,
 * and after a crash, the next sync records the event again under the same name.
 */

export interface OfficialTemplatesDeps {
  readonly labels: Pick<LabelLists, 'templates'>;
  record(tenantId: string, drafts: readonly Draft[]): Promise<void>;
  now(): number;
}

export interface Submitted {
  readonly name: string | undefined;
  readonly official: Pick<OfficialTemplate, 'name' | 'language' | 'category' | 'components'>;
}

const graphOf = (login: OfficialLogin): GraphClient =>
  new GraphClient(login.address, { token: login.token, appSecret: login.appSecret }, login.dispatcher, login.clock);

const idOf = (tenantId: string, wabaId: string, { name, language }: Pick<OfficialTemplate, 'name' | 'language'>): string =>
  derivedId(`official template ${tenantId} ${wabaId} ${name} ${language}`, 0);

export async function submitOfficial(
  deps: OfficialTemplatesDeps,
  owner: Owner,
  login: OfficialLogin,
  { name, official: { name: vendorName, language, category, components } }: Submitted,
): Promise<TemplateRow> {
  const { templates } = deps.labels;
  if (await templates.find(owner.tenantId, idOf(owner.tenantId, login.wabaId, { name: vendorName, language })))
    throw refusal('CONFLICT', { reason: THERE });
  const mine = await templates.list(owner.tenantId);
  if (mine.length >= MAX_TEMPLATES) throw beyondLimit(MAX_TEMPLATES, TEMPLATES);
  if (name !== undefined && mine.some(({ key }) => key === folded(name))) throw refusal('CONFLICT', { reason: NAME_TAKEN });
  const format = isNamed(components) ? 'named' : 'positional';
  const made = await submitTemplate(graphOf(login), login.wabaId, { name: vendorName, language, category, format, components });
  if ('kind' in made) throw refused(made);
  await keep(deps, owner, login.wabaId, made, name);
  const kept = await templates.find(owner.tenantId, idOf(owner.tenantId, login.wabaId, made));
  if (!kept) throw beyondLimit(MAX_TEMPLATES, TEMPLATES);
  return kept;
}

/** An account has at most 6,000 templates, in pages of 100. */
const MAX_PAGES = 100;

export async function syncOfficial(
  deps: OfficialTemplatesDeps,
  owner: Owner,
  login: OfficialLogin,
  name: string | null = null,
): Promise<void> {
  const sync: Sync = { name, began: deps.now(), after: '' };
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const after = await syncPage(deps, owner, login, sync);
    if (after === null) return;
    sync.after = after;
  }
}

export interface Sync {
  readonly name: string | null;
  readonly began: number;
  after: string;
}

/** Syncs a page. Returns null after the last one, once unlisted templates were removed. Repeatable. */
export async function syncPage(deps: OfficialTemplatesDeps, owner: Owner, login: OfficialLogin, sync: Sync): Promise<string | null> {
  const { name, began, after } = sync;
  const page = await listTemplates(graphOf(login), login.wabaId, name, after);
  if ('kind' in page) throw refused(page);
  for (const one of page.templates) await keep(deps, owner, login.wabaId, one);
  if (page.after === null) await removeUnlisted(deps, owner, login.wabaId, { name, began });
  return page.after;
}

async function removeUnlisted(
  deps: OfficialTemplatesDeps,
  owner: Owner,
  wabaId: string,
  { name, began }: Pick<Sync, 'name' | 'began'>,
): Promise<void> {
  const { templates } = deps.labels;
  for (const row of await templates.list(owner.tenantId)) {
    const { official } = row;
    const isAsked = official?.waba_id === wabaId && (name === null || official.name === name);
    if (!official || !isAsked || official.synced_at >= began) continue;
    const gone: OfficialTemplate = { ...official, status: 'deleted' };
    const updated_at = official.status === 'deleted' ? row.updated_at : Math.max(deps.now(), row.updated_at + 1);
    if (!(await templates.change(owner.tenantId, row._id, { official: gone, updated_at }, { updated_at: row.updated_at }))) continue;
    await deps.record(owner.tenantId, [changeOf({ _id: row._id, updated_at }, gone, began)]);
    await templates.remove(owner.tenantId, row._id);
  }
}

export async function removeOfficial(login: OfficialLogin, official: OfficialTemplate): Promise<void> {
  const answer = await removeTemplate(graphOf(login), official);
  if (answer.kind !== 'ok' && !(answer.kind === 'error' && answer.code === 100)) throw refused(answer);
}

interface ToldRow extends Pick<TemplateRow, '_id' | 'updated_at'> {
  readonly official: OfficialTemplate;
}

async function tell({ labels: { templates }, record, now }: OfficialTemplatesDeps, tenantId: string, row: ToldRow): Promise<void> {
  const { _id, updated_at } = row;
  const { untold: _untold, ...official } = row.official;
  await record(tenantId, [changeOf({ _id, updated_at }, official, now())]);
  await templates.change(tenantId, _id, { official }, { updated_at });
}

async function keep(deps: OfficialTemplatesDeps, owner: Owner, waba_id: string, vendor: VendorTemplate, name?: string): Promise<void> {
  const { now } = deps;
  const { templates } = deps.labels;
  const { tenantId } = owner;
  const _id = idOf(tenantId, waba_id, vendor);
  for (;;) {
    const before = await templates.find(tenantId, _id);
    const official: OfficialTemplate = {
      ...{ ...vendor, session_id: before?.official?.session_id ?? owner.sessionId, waba_id, synced_at: now() },
      ...(before !== null && isChanged(before.official, vendor) && { untold: true }),
    };
    const content: Pick<TemplateRow, 'message_type' | 'body' | 'media_r2_key' | 'caption' | 'language' | 'official'> = {
      ...{ message_type: headerFileOf(vendor.components) ?? 'text', body: bodyOf(vendor.components), media_r2_key: null, caption: null },
      ...{ language: vendor.language.replace('_', '-'), official },
    };
    if (before) {
      if (await isReplaced(deps, tenantId, before, { ...content, official })) return;
      if (!(await templates.find(tenantId, _id))) return;
      continue;
    }
    const at = now();
    const names =
      name === undefined ? [vendor.name, `${vendor.name} (${vendor.language})`, `${vendor.name} (${vendor.language}, ${waba_id})`] : [name];
    if ((await added(templates, { _id, tenant_id: tenantId, ...content, pack: null, created_at: at, updated_at: at }, names)) !== 'there')
      return;
  }
}

async function isReplaced(
  deps: OfficialTemplatesDeps,
  tenantId: string,
  before: TemplateRow,
  content: Partial<TemplateRow> & Pick<ToldRow, 'official'>,
): Promise<boolean> {
  const { _id, official } = before;
  if (official?.untold) await tell(deps, tenantId, { ...before, official });
  const updated_at = Math.max(deps.now(), before.updated_at + 1);
  if (!(await deps.labels.templates.change(tenantId, _id, { ...content, updated_at }, { updated_at: before.updated_at }))) return false;
  if (content.official.untold) await tell(deps, tenantId, { _id, updated_at, official: content.official });
  return true;
}

async function added(
  templates: LabelLists['templates'],
  row: Omit<TemplateRow, 'key' | 'name'>,
  names: readonly string[],
): Promise<'done' | 'there'> {
  for (const name of names) {
    const outcome = await templates.add({ ...row, name, key: folded(name) }, MAX_TEMPLATES);
    if (outcome !== 'taken') return 'done';
    if (await templates.find(row.tenant_id, row._id)) return 'there';
  }
  return 'done';
}

const isChanged = (before: OfficialTemplate | undefined, { status, category, reason, quality }: VendorTemplate): boolean =>
  before?.status !== status || before.category !== category || before.reason !== reason || before.quality !== quality;

function changeOf(
  { _id: template_id, updated_at }: Pick<TemplateRow, '_id' | 'updated_at'>,
  { session_id, status, category, reason }: OfficialTemplate,
  at: number,
): Draft {
  const data = { template_id, status, category, reason };
  return { session_id, type: 'template.updated', row: `template ${template_id}@${updated_at}`, occurred_at: at, data };
}

function refused(outcome: Exclude<Outcome, { kind: 'ok' }>): Error {
  if (outcome.kind === 'unwritten') return refusal('NOT_CONNECTED');
  if (outcome.kind === 'unknown') return refusal('DEVICE_TIMEOUT');
  const { code, details, retryAfterMs } = outcome;
  if (code === 4 || code === 80_007) return refusal('OVERLOADED', { retryAfterMs: Math.max(60_000, retryAfterMs) });
  if (code === 190 || (code >= 200 && code <= 299) || code === 10 || code === 3) return refusal('NOT_CONNECTED', { reason: details });
  if (code === 2_388_023 || code === 2_388_024) return refusal('CONFLICT', { reason: details });
  return refusal('VALIDATION_FAILED', { field: 'official', reason: details });
}

const TEMPLATES = { en: 'templates', id: 'templat' };
const THERE = {
  en: 'the account already has a template with this name and language',
  id: 'akun sudah punya templat dengan nama dan bahasa ini',
};
const NAME_TAKEN = { en: 'a template with this name already exists', id: 'templat dengan nama ini sudah ada' };
