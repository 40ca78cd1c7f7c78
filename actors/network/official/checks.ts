import { isRecord, memberOf } from '../../../runtime/shapes.ts';
import type { GraphClient, Outcome } from './graph-client.ts';
import type { OfficialCheck, OfficialHealth, OfficialLogin } from './login.ts';

/**
 * Checks a new connection, in the vendor's order: token, number, registration, subscription,
 * callback. The first serious failure closes the connection, and becomes its reason.
 */

export interface Checked {
  readonly health: OfficialHealth;
  readonly reason: string | null;
  readonly phone: string;
  readonly name: string | null;
}

const FIELDS =
  'id,display_phone_number,verified_name,status,quality_rating,code_verification_status,name_status,throughput,whatsapp_business_manager_messaging_limit,health_status,webhook_configuration,is_on_biz_app,platform_type';
const HOOK_FIELDS = [
  ...['messages', 'account_update', 'account_alerts', 'account_review_update', 'phone_number_quality_update', 'phone_number_name_update'],
  ...['message_template_status_update', 'message_template_quality_update', 'message_template_components_update'],
  ...['template_category_update', 'business_capability_update', 'security', 'user_preferences'],
] as const;
const SCOPES = ['whatsapp_business_management', 'whatsapp_business_messaging'] as const;
const REASONS: ReadonlyMap<string, string> = new Map([
  ['BANNED', 'banned'],
  ['DELETED', 'removed'],
  ['RESTRICTED', 'account_restricted'],
  ['FLAGGED', 'account_restricted'],
]);

const textOf = (value: unknown, name: string): string => {
  const text = memberOf(value, name);
  return typeof text === 'string' ? text : '';
};

const listOf = (outcome: Outcome): readonly Readonly<Record<string, unknown>>[] => {
  const data = outcome.kind === 'ok' ? memberOf(outcome.body, 'data') : null;
  return Array.isArray(data) ? data.filter(isRecord) : [];
};

class Checklist {
  readonly checks: OfficialCheck[] = [];

  add(name: string, ok: boolean, fix: string): boolean {
    this.checks.push({ name, ok, fix: ok ? null : fix });
    return ok;
  }
}

interface Step {
  readonly reason: string | null;
  readonly health: OfficialHealth;
}

const UNREACHABLE: Step = { reason: 'unreachable', health: {} };
const isUnanswered = ({ kind }: Outcome): boolean => kind === 'unwritten' || kind === 'unknown';

export async function check(graph: GraphClient, login: OfficialLogin): Promise<Checked> {
  const list = new Checklist();
  const token = await checkToken(graph, login, list);
  const number = token.reason === null ? await readNumber(graph, login) : null;
  const facts = number?.kind === 'ok' ? number.body : null;
  const steps = [token];
  if (number) steps.push(await checkNumber(graph, login, list, number));
  if (steps.every(({ reason }) => reason === null))
    steps.push(await checkSubscription(graph, login, list, facts), await account(graph, login));
  const reason = steps.find((step) => step.reason !== null)?.reason ?? null;
  const learned: OfficialHealth = Object.assign({}, ...steps.map(({ health }) => health));
  return {
    health: { ...learned, checks: list.checks, can_send: reason === null },
    reason,
    phone: textOf(facts, 'display_phone_number').replace(/\D/g, ''),
    name: textOf(facts, 'verified_name') || null,
  };
}

async function checkToken(graph: GraphClient, login: OfficialLogin, list: Checklist): Promise<Step> {
  const path = `debug_token?input_token=${encodeURIComponent(login.token)}`;
  const token = await graph.call({ method: 'GET', path, token: graph.appToken(login.appId) });
  if (isUnanswered(token)) return UNREACHABLE;
  const data = token.kind === 'ok' ? memberOf(token.body, 'data') : null;
  const invalid: Step = { reason: 'token_invalid', health: {} };
  if (!list.add('app_secret', data !== null, 'Copy the app secret again from the app dashboard: Settings, Basic.')) return invalid;
  const isValid = memberOf(data, 'is_valid') === true && textOf(data, 'app_id') === login.appId;
  if (!list.add('token', isValid, "In Business Suite, create a new token for this app's system user, and save it here.")) return invalid;
  const given = memberOf(data, 'scopes');
  const scopes: readonly unknown[] = Array.isArray(given) ? given : [];
  const missing = SCOPES.filter((scope) => !scopes.includes(scope));
  if (!list.add('permissions', missing.length === 0, `Give the token these permissions: ${missing.join(', ')}.`))
    return { reason: 'permission_missing', health: {} };
  const expires = Number(memberOf(data, 'expires_at') ?? 0) * 1_000;
  list.add('token_lasts', expires === 0, 'This token will expire. Create a system user token that never expires.');
  return { reason: null, health: { token_expires_at: expires > 0 ? expires : null } };
}

async function checkNumber(graph: GraphClient, login: OfficialLogin, list: Checklist, number: Outcome): Promise<Step> {
  if (isUnanswered(number)) return UNREACHABLE;
  const facts = number.kind === 'ok' ? number.body : null;
  const fix = 'Add the number and its account to the system user as assets, and check the phone number id.';
  if (!list.add('number', facts !== null, fix)) {
    const isInvalid = number.kind === 'error' && number.code === 190;
    return { reason: isInvalid ? 'token_invalid' : 'permission_missing', health: {} };
  }
  const status = await registered(graph, login, list, textOf(facts, 'status'));
  const repair = `The number is ${status}: verify and register it (send its PIN), or repair its account.`;
  const isUp = list.add('status', status === 'CONNECTED', repair);
  return { reason: isUp ? null : (REASONS.get(status) ?? 'not_registered'), health: healthOf(facts) };
}

async function registered(graph: GraphClient, login: OfficialLogin, list: Checklist, status: string): Promise<string> {
  const { pin, phoneNumberId } = login;
  if (pin === null || status === 'CONNECTED' || REASONS.has(status)) return status;
  const json = { messaging_product: 'whatsapp', pin };
  const answer = await graph.call({ method: 'POST', path: `${phoneNumberId}/register`, json });
  const why = answer.kind === 'error' ? `: ${answer.details}` : '';
  return list.add('registered', answer.kind === 'ok', `Register the number with its six-digit PIN${why}.`) ? 'CONNECTED' : status;
}

async function checkSubscription(graph: GraphClient, login: OfficialLogin, list: Checklist, facts: unknown): Promise<Step> {
  const path = `${login.wabaId}/subscribed_apps`;
  await graph.call({ method: 'POST', path });
  const subscribed = listOf(await graph.call({ method: 'GET', path }));
  const isListed = subscribed.some((one) => textOf(memberOf(one, 'whatsapp_business_api_data'), 'id') === login.appId);
  const subscribe = 'The account does not send webhooks to this app. Assign the account to the token as an asset, then connect again.';
  if (!list.add('subscribed', isListed, subscribe)) return { reason: 'permission_missing', health: {} };
  const copy = `In the app dashboard under WhatsApp, Configuration, set the callback to ${login.callbackUrl} with the verify token, and subscribe the fields.`;
  list.add('callback', await registerCallback(graph, login), copy);
  const override = memberOf(facts, 'webhook_configuration');
  const diverted = textOf(override, 'phone_number') || textOf(override, 'whatsapp_business_account');
  const isOurs = diverted === '' || diverted === login.callbackUrl;
  list.add('not_diverted', isOurs, `Messages to this number go to ${diverted}. Remove that override.`);
  return { reason: null, health: {} };
}

async function account(graph: GraphClient, { wabaId }: OfficialLogin): Promise<Step> {
  const facts = await graph.call({ method: 'GET', path: `${wabaId}?fields=id,currency` });
  const currency = facts.kind === 'ok' ? textOf(facts.body, 'currency') : '';
  return { reason: null, health: /^[A-Z]{3}$/.test(currency) ? { currency } : {} };
}

export const readNumber = (graph: GraphClient, { phoneNumberId }: OfficialLogin): Promise<Outcome> =>
  graph.call({ method: 'GET', path: `${phoneNumberId}?fields=${FIELDS}` });

/** The path contains a secret token, so a URL with this path is ours, whatever its host. */
const pathOf = (url: string): string => (URL.canParse(url) ? new URL(url).pathname : url);

async function registerCallback(graph: GraphClient, { appId, callbackUrl, verifyToken }: OfficialLogin): Promise<boolean> {
  const token = graph.appToken(appId);
  const path = `${appId}/subscriptions`;
  const [known] = listOf(await graph.call({ method: 'GET', path, token })).filter(
    (one) => textOf(one, 'object') === 'whatsapp_business_account',
  );
  const set = known ? textOf(known, 'callback_url') : '';
  const foreign = set !== '' && pathOf(set) !== pathOf(callbackUrl);
  if (foreign) return false;
  const fields = HOOK_FIELDS.join(',');
  const json = { object: 'whatsapp_business_account', callback_url: callbackUrl, verify_token: verifyToken, fields, include_values: true };
  return (await graph.call({ method: 'POST', path, token, json })).kind === 'ok';
}

export function healthOf(facts: unknown): OfficialHealth {
  const quality = textOf(facts, 'quality_rating').toLowerCase();
  const health = memberOf(facts, 'health_status');
  const tier = tierOf(memberOf(facts, 'whatsapp_business_manager_messaging_limit'));
  return {
    ...(quality !== '' && { quality }),
    ...(tier !== undefined && { tier }),
    ...(health !== undefined && { can_send: textOf(health, 'can_send_message') !== 'BLOCKED' }),
  };
}

export function tierOf(value: unknown): number | null | undefined {
  if (typeof value === 'number') return value < 0 ? null : value;
  if (typeof value !== 'string') return undefined;
  if (value === 'TIER_UNLIMITED' || value === '-1') return null;
  const [, digits, thousands] = /^(?:TIER_)?(\d+)(K?)$/.exec(value) ?? [];
  return digits === undefined ? undefined : Number(digits) * (thousands === 'K' ? 1_000 : 1);
}
