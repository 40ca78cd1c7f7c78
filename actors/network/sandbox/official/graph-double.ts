import { hash } from 'node:crypto';
import { Refusal } from '../../../../runtime/errors.ts';
import { isRecord, memberOf } from '../../../../runtime/shapes.ts';
import { isPhone } from '../names.ts';
import type { Phone } from '../phones.ts';
import type { TemplateState } from '../protocol.ts';
import type { SandboxDeps } from '../sandbox-deps.ts';
import { GraphHooks, verifies } from './graph-hooks.ts';
import { GraphMessages } from './graph-messages.ts';
import { block, changeProfile, listBlocked, profileOf } from './graph-profile.ts';
import { GraphServer } from './graph-server.ts';
import {
  type GraphAccount,
  type GraphAnswer,
  type GraphApp,
  type GraphFile,
  type GraphNumber,
  type GraphRequest,
  graphError,
  type SendFault,
} from './graph-state.ts';
import { createTemplate, deleteTemplate, judge, listTemplates } from './graph-templates.ts';

/**
 * A test double of the vendor's business platform and its webhooks. The phones of the sandbox act
 * as the customers. The journal has one entry for each accepted message.
 */

export interface OfficialKeys {
  readonly phone_number_id: string;
  readonly waba_id: string;
  readonly app_id: string;
  readonly app_secret: string;
  readonly access_token: string;
}

export interface OfficialChanges {
  readonly templates?: Readonly<Record<string, TemplateState>>;
  readonly quality?: string;
  readonly tier?: number | null;
  readonly fault?: Omit<SendFault, 'times'> & { readonly times?: number };
  readonly token?: boolean;
  readonly status?: string;
  readonly subscription?: boolean;
}

export interface ShownOfficial {
  readonly phone_number_id: string;
  readonly waba_id: string;
  readonly phone_number: string;
  readonly quality: string;
  readonly tier: number | null;
  readonly status: string;
  readonly templates: Readonly<Record<string, string>>;
}

const ADDRESS_MS = 300_000;
const REGISTRATIONS = 10;
const REGISTER_SPAN_MS = 72 * 3_600_000;
const TOO_MANY_REGISTRATIONS = 'A number can have 10 registrations in 72 hours. Try again in 72 hours';
const ok: GraphAnswer = { status: 200, body: { success: true } };
const TIERS = new Map<number | null, string>([
  [250, 'TIER_250'],
  [2_000, 'TIER_2K'],
  [10_000, 'TIER_10K'],
  [100_000, 'TIER_100K'],
  [null, 'TIER_UNLIMITED'],
]);

export class OfficialSide {
  readonly #deps: SandboxDeps;
  readonly #server = new GraphServer((request) => this.answer(request));
  readonly #numbers = new Map<string, GraphNumber>();
  readonly #accounts = new Map<string, GraphAccount>();
  readonly #apps = new Map<string, GraphApp>();
  readonly #files = new Map<string, GraphFile>();
  readonly hooks: GraphHooks;
  readonly #messages: GraphMessages;
  #count = 0;

  constructor(deps: SandboxDeps) {
    this.#deps = deps;
    this.hooks = new GraphHooks(deps.clock, this.#apps, deps.reach);
    this.#messages = new GraphMessages(deps, this.hooks, this.#files, () => this.#id());
  }

  url(): Promise<string> {
    return this.#server.url();
  }

  get isBusy(): boolean {
    return this.#server.isBusy || this.hooks.isBusy;
  }

  create({ waba_id: wabaId, phone_number: given }: { readonly waba_id?: string; readonly phone_number?: string }): OfficialKeys {
    const digits = given?.replace(/^\+/, '') ?? `1555${String(1_000_000 + this.#numbers.size)}`;
    if (!isPhone(digits)) throw new Refusal('VALIDATION_FAILED', { field: 'phone_number', reason: 'a phone number is 5 to 15 digits' });
    if (this.numberOf(digits) || this.#deps.devices.of(digits).length > 0) throw new Refusal('CONFLICT');
    const account = this.#accounts.get(wabaId ?? '') ?? {
      id: wabaId ?? this.#id(),
      subscribed: new Set(),
      takesApps: true,
      templates: new Map(),
    };
    this.#accounts.set(account.id, account);
    const known = [...this.#numbers.values()].find((number) => number.account === account)?.app;
    const app = known ?? { id: this.#id(), secret: this.#deps.names.secret(), callback: null };
    this.#apps.set(app.id, app);
    const number: GraphNumber = {
      ...{ id: this.#id(), digits, account, app, token: `EAA${this.#deps.names.secret()}`, name: `Business ${digits.slice(-4)}` },
      ...{ status: 'CONNECTED', quality: 'GREEN', tier: 250, pin: null, isTokenValid: true, windows: new Map(), faults: [] },
      ...{ profile: {}, blocked: new Set<string>(), registrations: [], registerFrom: 0 },
    };
    this.#numbers.set(number.id, number);
    return { phone_number_id: number.id, waba_id: account.id, app_id: app.id, app_secret: app.secret, access_token: number.token };
  }

  change(phoneNumberId: string, changes: OfficialChanges): ShownOfficial {
    const number = this.#numbers.get(phoneNumberId);
    if (!number) throw new Refusal('NOT_FOUND');
    const { templates = {}, quality, tier, fault, token, status, subscription } = changes;
    for (const [key, state] of Object.entries(templates))
      if (!judge(number.account, this.hooks, key, state)) throw new Refusal('NOT_FOUND', { field: `templates.${key}` });
    number.quality = quality?.toUpperCase() ?? number.quality;
    number.status = status?.toUpperCase() ?? number.status;
    number.isTokenValid = token ?? number.isTokenValid;
    if (subscription !== undefined) number.account.takesApps = subscription;
    if (subscription === false) number.account.subscribed.clear();
    if (tier !== undefined) number.tier = tier;
    if (fault) number.faults.push({ ...fault, times: fault.times ?? 1 });
    if (quality !== undefined || tier !== undefined)
      this.hooks.tellAccount(number.account, 'phone_number_quality_update', {
        display_phone_number: number.digits,
        event: 'ONBOARDING',
        current_limit: tierName(number.tier),
        max_daily_conversations_per_business: tierName(number.tier),
      });
    return this.#shown(number);
  }

  numberOf(digits: string): GraphNumber | null {
    return [...this.#numbers.values()].find((number) => number.digits === digits) ?? null;
  }

  numbers(): readonly GraphNumber[] {
    return [...this.#numbers.values()];
  }

  get people(): GraphMessages {
    return this.#messages;
  }

  prefer(phone: Phone, number: GraphNumber, value: 'stop' | 'resume'): void {
    const timestamp = Math.floor(this.#deps.clock.now() / 1_000);
    const person = this.#messages.personOf(phone);
    const detail = value === 'stop' ? 'User requested to stop marketing messages' : 'User requested to resume marketing messages';
    const preference = { ...person, category: 'marketing_messages', value, detail, timestamp };
    this.hooks.tell(number, 'user_preferences', { contacts: [this.#messages.contactOf(phone)], user_preferences: [preference] });
  }

  #shown({ id, account, digits, quality, tier, status }: GraphNumber): ShownOfficial {
    const templates = Object.fromEntries([...account.templates].map(([key, template]) => [key, template.status]));
    return { phone_number_id: id, waba_id: account.id, phone_number: digits, quality: quality.toLowerCase(), tier, status, templates };
  }

  #id(): string {
    this.#count += 1;
    return `${this.#deps.clock.now()}${String(this.#count).padStart(4, '0')}`;
  }

  async answer(request: GraphRequest): Promise<GraphAnswer> {
    const [node = '', edge = ''] = request.path;
    if (node === 'debug_token') return this.#debugToken(request);
    const app = this.#apps.get(node);
    if (app) return this.#subscriptions(app, request, edge);
    if (node === 'files') return this.#fileBytes(request, edge);
    const caller = this.#callerOf(request);
    if (!caller) return graphError(190, 'Error validating access token');
    const number = this.#numbers.get(node);
    if (number) return number.account === caller.account ? this.#aboutNumber(number, request, edge) : graphError(10, 'No permission', 403);
    const account = this.#accounts.get(node);
    if (account) return account === caller.account ? this.#aboutAccount(account, request, edge) : graphError(200, 'No permission', 403);
    return this.#aboutObject(caller, request, node, edge);
  }

  #callerOf({ token }: GraphRequest): GraphNumber | null {
    return [...this.#numbers.values()].find((number) => number.token === token && number.isTokenValid) ?? null;
  }

  #debugToken({ query, token }: GraphRequest): GraphAnswer {
    const [id = '', secret = ''] = (token ?? '').split('|');
    if (this.#apps.get(id)?.secret !== secret) return graphError(190, 'Invalid OAuth access token signature');
    const number = [...this.#numbers.values()].find((one) => one.token === query.get('input_token'));
    if (!number) return { status: 200, body: { data: { is_valid: false, app_id: id, error: { code: 190, message: 'Invalid token' } } } };
    const scopes = ['whatsapp_business_management', 'whatsapp_business_messaging'];
    const data = { app_id: number.app.id, type: 'SYSTEM_USER', is_valid: number.isTokenValid, expires_at: 0, scopes };
    return { status: 200, body: { data } };
  }

  async #subscriptions(app: GraphApp, { method, token, body, query }: GraphRequest, edge: string): Promise<GraphAnswer> {
    if (edge !== 'subscriptions') return graphError(100, 'Unsupported request');
    if (token !== `${app.id}|${app.secret}`) return graphError(190, 'An app access token is required');
    if (method === 'GET') {
      const { callback } = app;
      const fields = callback?.fields.map((name) => ({ name, version: 'v26.0' })) ?? [];
      const data = callback ? [{ object: 'whatsapp_business_account', callback_url: callback.url, active: true, fields }] : [];
      return { status: 200, body: { data } };
    }
    const given = (name: string): string => String(body[name] ?? query.get(name) ?? '');
    const [url, verifyToken] = [given('callback_url'), given('verify_token')];
    if (!(await verifies(this.#deps.reach, url, verifyToken, this.#id()))) return graphError(2_200, 'Callback verification failed');
    const fields = Array.isArray(body['fields']) ? body['fields'].map(String) : given('fields').split(',');
    app.callback = { url, verifyToken, fields };
    return ok;
  }

  async #aboutNumber(number: GraphNumber, request: GraphRequest, edge: string): Promise<GraphAnswer> {
    const { method, body } = request;
    switch (`${method} ${edge}`) {
      case 'GET ':
        return { status: 200, body: this.#facts(number) };
      case 'POST ':
      case 'POST request_code':
        return ok;
      case 'POST verify_code':
        return /^\d{6}$/.test(String(body['code'] ?? '').replace('-', '')) ? ok : graphError(136_025, 'The code is not right');
      case 'POST register':
        return this.#register(number, body);
      case 'POST deregister':
        number.status = 'DISCONNECTED';
        return ok;
      case 'POST messages':
        return this.#messages.take(number, request);
      case 'POST media':
        return this.#keepFile(request);
      case 'GET whatsapp_business_profile':
        return profileOf(number);
      case 'POST whatsapp_business_profile':
        return changeProfile(number, request);
      case 'POST block_users':
      case 'DELETE block_users':
        return block(number, request, this.#deps.clock.now());
      case 'GET block_users':
        return listBlocked(number, request);
      default:
        return graphError(100, 'Unsupported request');
    }
  }

  #register(number: GraphNumber, { pin }: GraphRequest['body']): GraphAnswer {
    const now = this.#deps.clock.now();
    const recent = number.registrations.filter((at) => at > now - REGISTER_SPAN_MS);
    if (now < number.registerFrom) return graphError(133_016, TOO_MANY_REGISTRATIONS);
    if (recent.length >= REGISTRATIONS) {
      number.registerFrom = now + REGISTER_SPAN_MS;
      return graphError(133_016, TOO_MANY_REGISTRATIONS);
    }
    number.registrations = [...recent, now];
    if (typeof pin !== 'string' || !/^\d{6}$/.test(pin)) return graphError(133_008, 'The PIN has six digits');
    if (number.pin !== null && number.pin !== pin) return graphError(133_005, 'Two step verification PIN mismatch');
    number.pin = pin;
    number.status = 'CONNECTED';
    return ok;
  }

  #facts(number: GraphNumber): unknown {
    const { id, digits, name, status, quality, tier, account, app } = number;
    const entities = [
      { entity_type: 'PHONE_NUMBER', id, can_send_message: 'AVAILABLE' },
      { entity_type: 'WABA', id: account.id, can_send_message: 'AVAILABLE' },
      { entity_type: 'BUSINESS', id: `9${account.id}`, can_send_message: 'AVAILABLE' },
      { entity_type: 'APP', id: app.id, can_send_message: 'AVAILABLE' },
    ];
    return {
      ...{ id, display_phone_number: `+${digits}`, verified_name: name, status, quality_rating: quality, platform_type: 'CLOUD_API' },
      ...{ code_verification_status: 'VERIFIED', name_status: 'APPROVED', throughput: { level: 'STANDARD' }, is_on_biz_app: false },
      whatsapp_business_manager_messaging_limit: tierName(tier),
      health_status: { can_send_message: 'AVAILABLE', entities },
      webhook_configuration: { application: app.callback?.url ?? '' },
    };
  }

  #aboutAccount(account: GraphAccount, request: GraphRequest, edge: string): GraphAnswer {
    const app = this.#callerOf(request)?.app;
    switch (`${request.method} ${edge}`) {
      case 'GET ':
        return { status: 200, body: { id: account.id, name: 'Business', currency: 'USD', timezone_id: '1' } };
      case 'GET subscribed_apps':
        return {
          status: 200,
          body: { data: [...account.subscribed].map((id) => ({ whatsapp_business_api_data: { id, name: 'Gateway' } })) },
        };
      case 'POST subscribed_apps':
        if (app && account.takesApps) account.subscribed.add(app.id);
        return ok;
      case 'DELETE subscribed_apps':
        if (app) account.subscribed.delete(app.id);
        return ok;
      case 'GET message_templates':
        return listTemplates(account, request);
      case 'POST message_templates':
        return createTemplate(account, request, this.#id());
      case 'DELETE message_templates':
        return deleteTemplate(account, request);
      default:
        return graphError(100, 'Unsupported request');
    }
  }

  async #aboutObject({ account }: GraphNumber, { method, body }: GraphRequest, id: string, edge: string): Promise<GraphAnswer> {
    const file = this.#files.get(id);
    if (file && method === 'DELETE') this.#files.delete(id);
    if (file && method === 'DELETE') return ok;
    if (file) {
      const url = `${await this.url()}/files/${id}?until=${this.#deps.clock.now() + ADDRESS_MS}`;
      const facts = { url, mime_type: file.type, sha256: file.sha256, file_size: file.bytes.length };
      return { status: 200, body: { messaging_product: 'whatsapp', id, ...facts } };
    }
    const template = [...account.templates.values()].find((one) => one.id === id);
    if (!template || method !== 'POST') return graphError(100, `Object with ID '${id}' does not exist`);
    if (edge === 'unpause') template.status = 'approved';
    else if (Array.isArray(body['components'])) {
      template.components = body['components'].filter(isRecord);
      template.status = 'pending';
    }
    return ok;
  }

  #fileBytes(request: GraphRequest, id: string): GraphAnswer {
    const file = this.#files.get(id);
    const isExpired = Number(request.query.get('until')) < this.#deps.clock.now();
    return file && !isExpired && this.#callerOf(request) ? { status: 200, bytes: file } : { status: 404 };
  }

  #keepFile({ file, body }: GraphRequest): GraphAnswer {
    if (!file || memberOf(body, 'messaging_product') !== 'whatsapp') return graphError(100, 'A file and messaging_product are required');
    const given = memberOf(body, 'type');
    const type = typeof given === 'string' && given !== '' ? given : file.type;
    if (/^(audio\/opus|audio\/webm|image\/webp;)/.test(type)) return graphError(131_053, `Unsupported media type ${type}`);
    const id = this.#id();
    this.#files.set(id, { id, bytes: file.bytes, type, sha256: hash('sha256', file.bytes, 'base64') });
    return { status: 200, body: { id } };
  }
}

const tierName = (tier: number | null): string => TIERS.get(tier) ?? `TIER_${tier}`;
