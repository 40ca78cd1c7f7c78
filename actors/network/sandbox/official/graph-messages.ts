import { hash } from 'node:crypto';
import { isRecord, memberOf } from '../../../../runtime/shapes.ts';
import { userJid } from '../../jid.ts';
import type { Content } from '../../port.ts';
import { type Attachment, bytesOf } from '../attachment.ts';
import type { Phone } from '../phones.ts';
import type { Act, DeviceAction, DeviceActionDraft, Draft, NetworkMessage } from '../protocol.ts';
import type { SandboxDeps } from '../sandbox-deps.ts';
import type { GraphHooks } from './graph-hooks.ts';
import { isInteractive } from './graph-interactive.ts';
import {
  businessScopedId,
  type GraphAnswer,
  type GraphFile,
  type GraphNumber,
  type GraphRequest,
  graphError,
  type SendFault,
} from './graph-state.ts';
import { fill } from './graph-templates.ts';

/**
 * Carries messages between official numbers and the sandbox's phones, by the vendor's rules. A
 * message from a phone becomes a webhook, and opens the customer service window for that person.
 */

type Fields = Readonly<Record<string, unknown>>;

const WINDOW_MS = 86_400_000;
const HELD_MS = 60_000;
const FILES = ['image', 'video', 'audio', 'document', 'sticker'] as const;
const seconds = (ms: number): string => String(Math.floor(ms / 1_000));
const textIn = (value: unknown, name: string): string => {
  const text = memberOf(value, name);
  return typeof text === 'string' ? text : '';
};

interface Sent {
  readonly wamid: string;
  readonly number: GraphNumber;
  readonly phone: Phone;
  readonly opaque: string;
  readonly category: string;
  readonly isInWindow: boolean;
}

export class GraphMessages {
  readonly #deps: SandboxDeps;
  readonly #hooks: GraphHooks;
  readonly #files: Map<string, GraphFile>;
  readonly #nextId: () => string;

  constructor(deps: SandboxDeps, hooks: GraphHooks, files: Map<string, GraphFile>, nextId: () => string) {
    this.#deps = deps;
    this.#hooks = hooks;
    this.#files = files;
    this.#nextId = nextId;
  }

  take(number: GraphNumber, { body }: GraphRequest): GraphAnswer {
    if (body['status'] === 'read') return this.#read(number, body);
    const fault = nextFault(number);
    const opaque = textIn(body, 'biz_opaque_callback_data');
    if (fault?.drop === 'before_body') return { status: 0, drop: true };
    if (fault?.code !== undefined && !fault.late) return this.#refused(number, opaque, graphError(fault.code, 'A scripted fault'));
    if (fault?.http !== undefined) return { status: fault.http, body: {} };
    const digits = this.#recipient(number, body);
    if (digits === null) return this.#refused(number, opaque, graphError(131_009, 'Parameter value is not valid'));
    const phone = this.#deps.phones.named(this.#deps.phones.registered(digits));
    const filled = body['type'] === 'template' ? fill(number.account, body['template']) : { text: null, category: 'service' };
    if ('status' in filled) return this.#refused(number, opaque, filled);
    const content = filled.text === null ? this.#contentOf(body) : ({ type: 'text', body: filled.text } as const);
    if (content === null) return this.#refused(number, opaque, graphError(100, 'Invalid parameter'));
    const { clock, journal } = this.#deps;
    const now = clock.now();
    const wamid = `wamid.${Buffer.from(this.#nextId()).toString('base64url')}`;
    const isInWindow = (number.windows.get(phone.digits) ?? Number.NEGATIVE_INFINITY) + WINDOW_MS > now;
    const sent: Sent = { wamid, number, phone, opaque, category: filled.category, isInWindow };
    journal.note({ what: 'accepted', phone: number.digits, netId: opaque || wamid, to: userJid(digits) });
    this.#follow(sent, fault, content, body);
    if (fault?.drop === 'after_body') return { status: 0, drop: true };
    return accepted(sent, fault, body);
  }

  #follow(sent: Sent, fault: SendFault | undefined, content: Content, body: Fields): void {
    const late = fault?.code ?? this.#lateError(sent, body);
    const outcome = (): void => (late === null ? this.#carry(sent, content, body) : this.#fail(sent, late));
    const { clock, soon } = this.#deps;
    if (fault?.held === undefined) soon.run(outcome);
    else clock.after(HELD_MS, fault.held === 'released' ? outcome : () => this.#fail(sent, 132_015));
  }

  #refused(number: GraphNumber, opaque: string, answer: GraphAnswer): GraphAnswer {
    const code = memberOf(memberOf(answer.body, 'error'), 'code');
    this.#deps.journal.note({ what: 'refused', phone: number.digits, netId: opaque, reason: String(code) });
    return answer;
  }

  /** If a number has no `+`, the vendor prepends the business's country code. */
  #recipient(number: GraphNumber, body: Fields): string | null {
    const to = textIn(body, 'to').replace(/[\s()-]/g, '');
    if (to !== '') {
      const digits = to.startsWith('+') ? to.slice(1) : `${number.digits.slice(0, 2)}${to}`;
      return /^\d{5,15}$/.test(digits) ? digits : null;
    }
    const person = textIn(body, 'recipient');
    return this.#deps.phones.all().find(({ digits }) => businessScopedId(digits) === person)?.digits ?? null;
  }

  #lateError({ phone, number, isInWindow }: Sent, body: Fields): number | null {
    if (!phone.onNetwork || number.blocked.has(phone.digits)) return 131_026;
    return body['type'] !== 'template' && body['type'] !== 'reaction' && !isInWindow ? 131_047 : null;
  }

  #contentOf(body: Fields): Content | null {
    const { type } = body;
    const part = typeof type === 'string' ? body[type] : undefined;
    if (type === 'text') return textIn(part, 'body') === '' ? null : { type, body: textIn(part, 'body') };
    if (type === 'location') return { type, lat: Number(memberOf(part, 'latitude')), lng: Number(memberOf(part, 'longitude')) };
    if (type === 'contacts') {
      const [first] = Array.isArray(part) ? part : [];
      const phones = memberOf(first, 'phones');
      const phone = textIn(Array.isArray(phones) ? phones[0] : undefined, 'phone').replace(/\D/g, '');
      return { type: 'contact', name: textIn(memberOf(first, 'name'), 'formatted_name'), phone };
    }
    if (type === 'interactive') return isInteractive(part) ? { type: 'text', body: textIn(memberOf(part, 'body'), 'text') } : null;
    if (type === 'reaction') return { type: 'text', body: textIn(part, 'emoji') };
    const known = FILES.find((one) => one === type);
    const file = known && this.#files.get(textIn(part, 'id'));
    if (!known || !file) return null;
    const caption = textIn(part, 'caption') || null;
    const filename = textIn(part, 'filename') || null;
    const sha256 = Buffer.from(file.sha256, 'base64').toString('hex');
    const facts = { contentType: file.type, filename, size: file.bytes.length, sha256 };
    return { type: known, file: facts, caption, voiceNote: memberOf(part, 'voice') === true };
  }

  #carry(sent: Sent, content: Content, body: Fields): void {
    const { clock, journal, reading } = this.#deps;
    const { wamid, number, phone } = sent;
    this.#status(sent, 'sent');
    const quotes = textIn(body['context'], 'message_id') || null;
    const show = (): void => {
      const message: NetworkMessage = { netId: wamid, from: number.digits, to: userJid(phone.digits), content, quotes, at: clock.now() };
      if (body['type'] === 'reaction') {
        const act: Act = { kind: 'reaction', emoji: textIn(body['reaction'], 'emoji') };
        phone.mark({ ...message, target: textIn(body['reaction'], 'message_id'), act });
        return;
      }
      const interactive = body['interactive'];
      phone.show(isRecord(interactive) ? { ...message, extras: { kind: 'interactive', content: interactive } } : message);
      journal.note({ what: 'delivered', phone: phone.digits, netId: wamid });
      this.#status(sent, 'delivered');
      if (phone.reads) reading.run(() => this.#status(sent, 'read'));
    };
    if (phone.online) show();
    else phone.waiting.push(show);
  }

  #fail(sent: Sent, code: number): void {
    const errors = [{ code, title: `Error ${code}`, message: `Error ${code}`, error_data: { details: `Error ${code}` } }];
    this.#status(sent, 'failed', { errors });
  }

  #status({ wamid, number, phone, opaque, category, isInWindow }: Sent, status: string, more: Fields = {}): void {
    const isFree = category === 'service' && isInWindow;
    const type = isFree ? 'free_customer_service' : 'regular';
    const pricing = { billable: !isFree, pricing_model: 'PMP', type, category };
    const isPriced = status === 'sent' || status === 'delivered';
    const at = { id: wamid, status, timestamp: seconds(this.#deps.clock.now()), ...this.#recipientOf(phone) };
    const named = { ...(opaque !== '' && { biz_opaque_callback_data: opaque }), ...(isPriced && { pricing }) };
    this.#hooks.tell(number, 'messages', { statuses: [{ ...at, ...named, ...more }] });
  }

  #recipientOf(phone: Phone): Fields {
    const { wa_id: recipient_id, user_id: recipient_user_id } = this.personOf(phone);
    return { ...(recipient_id !== undefined && { recipient_id }), recipient_user_id };
  }

  #read(number: GraphNumber, body: Fields): GraphAnswer {
    const wamid = textIn(body, 'message_id');
    const [digits = ''] = Buffer.from(wamid.replace(/^wamid\./, ''), 'base64url')
      .toString()
      .split(' ');
    const isTyping = isRecord(body['typing_indicator']);
    const phone = this.#deps.phones.seen(digits);
    phone?.markSeen(wamid, number.digits);
    if (phone && isTyping) phone.see({ from: number.digits, chat: userJid(number.digits), state: 'composing' });
    this.#deps.journal.note({ what: isTyping ? 'presence' : 'seen', phone: digits, netId: wamid });
    return { status: 200, body: { success: true } };
  }

  personOf(phone: Phone): { readonly wa_id?: string; readonly user_id: string } {
    const user_id = businessScopedId(phone.digits);
    return phone.lid && !phone.tellsNumber ? { user_id } : { wa_id: phone.digits, user_id };
  }

  contactOf(phone: Phone): Fields {
    const username = phone.username === null ? {} : { username: phone.username };
    return { profile: { name: phone.name ?? phone.digits, ...username }, ...this.personOf(phone) };
  }

  write(phone: Phone, number: GraphNumber, draft: Draft): NetworkMessage {
    const { clock, journal } = this.#deps;
    const now = clock.now();
    const netId = draft.netId ?? this.#wamidOf(phone);
    const message: NetworkMessage = {
      ...{ netId, from: phone.digits, to: userJid(number.digits), content: draft.content, quotes: draft.quotes ?? null, at: now },
      ...(draft.extras && { extras: draft.extras }),
    };
    journal.note({ what: 'wrote', phone: phone.digits, netId, to: message.to });
    if (number.blocked.has(phone.digits)) return message;
    number.windows.set(phone.digits, now);
    this.#tell(phone, number, { id: netId, ...this.#written(draft), ...quoting(number, message.quotes) });
    return message;
  }

  /** Actions other than reactions arrive as messages of an unsupported type. */
  do(phone: Phone, number: GraphNumber, { target, act }: DeviceActionDraft): DeviceAction {
    const netId = this.#wamidOf(phone);
    const done: DeviceAction = { netId, from: phone.digits, to: userJid(number.digits), target, act, at: this.#deps.clock.now() };
    phone.mark(done);
    if (act.kind !== 'reaction') this.#tell(phone, number, unsupported(netId, act.kind));
    else {
      const reaction = { message_id: target, ...(act.emoji !== '' && { emoji: act.emoji }) };
      this.#tell(phone, number, { id: netId, type: 'reaction', reaction });
    }
    return done;
  }

  changedNumber(phone: Phone, number: GraphNumber, to: string): void {
    const body = `User changed from ${phone.digits} to ${to}`;
    const ids = { user_id: businessScopedId(to), previous_user_id: businessScopedId(phone.digits) };
    this.#tell(phone, number, {
      id: this.#wamidOf(phone),
      type: 'system',
      system: { type: 'user_changed_number', wa_id: to, ...ids, body },
    });
  }

  #wamidOf(phone: Phone): string {
    return `wamid.${Buffer.from(`${phone.digits} ${this.#nextId()}`).toString('base64url')}`;
  }

  #tell(phone: Phone, number: GraphNumber, message: Fields): void {
    const { wa_id: from, user_id: from_user_id } = this.personOf(phone);
    const timestamp = seconds(this.#deps.clock.now());
    const messages = [{ ...(from !== undefined && { from }), from_user_id, timestamp, ...message }];
    this.#deps.soon.run(() => this.#hooks.tell(number, 'messages', { contacts: [this.contactOf(phone)], messages }));
  }

  #written({ content, attachment, extras }: Draft): Fields {
    const { kind, content: fields = {} } = extras ?? {};
    const text = content.type === 'text' ? content.body : '';
    const title = textIn(fields, 'title') || textIn(fields, 'text') || text;
    const id = textIn(fields, 'id') || title;
    if (kind === 'button_answer')
      return textIn(fields, 'payload') === ''
        ? { type: 'interactive', interactive: { type: 'button_reply', button_reply: { id, title } } }
        : { type: 'button', button: { payload: textIn(fields, 'payload'), text: title } };
    if (kind === 'list_answer') return { type: 'interactive', interactive: { type: 'list_reply', list_reply: { id, title } } };
    if (kind !== undefined && kind !== 'order') return unsupported('', kind);
    if (kind === 'order') return { type: 'order', order: { text, ...fields } };
    return this.#plain(content, attachment, { ...extras?.place });
  }

  #plain(content: Content, attachment: Attachment | undefined, place: Fields): Fields {
    switch (content.type) {
      case 'text':
        return { type: 'text', text: { body: content.body } };
      case 'location':
        return { type: 'location', location: { latitude: content.lat, longitude: content.lng, ...place } };
      case 'contact': {
        const phones = [{ phone: `+${content.phone}`, wa_id: content.phone }];
        return { type: 'contacts', contacts: [{ name: { formatted_name: content.name }, phones }] };
      }
      case 'poll':
        return unsupported('', 'poll');
      default: {
        const { type, file, caption, voiceNote } = content;
        const bytes = attachment ? Buffer.concat([...bytesOf(attachment)]) : Buffer.alloc(0);
        const id = this.#nextId();
        const sha256 = hash('sha256', bytes, 'base64');
        this.#files.set(id, { id, bytes, type: file.contentType, sha256 });
        const named = { ...(caption !== null && { caption }), ...(file.filename !== null && { filename: file.filename }) };
        return { type, [type]: { id, mime_type: file.contentType, sha256, ...named, ...(voiceNote && { voice: true }) } };
      }
    }
  }
}

function accepted({ wamid, phone }: Sent, fault: SendFault | undefined, body: Fields): GraphAnswer {
  const person = 'recipient' in body && !('to' in body) ? { user_id: businessScopedId(phone.digits) } : { wa_id: phone.digits };
  const contacts = [{ input: textIn(body, 'to') || textIn(body, 'recipient'), ...person }];
  const message_status = fault?.held === undefined ? 'accepted' : 'held_for_quality_assessment';
  const messages = [{ id: wamid, ...(body['type'] === 'template' && { message_status }) }];
  return { status: 200, body: { messaging_product: 'whatsapp', contacts, messages } };
}

function nextFault(number: GraphNumber): SendFault | undefined {
  const fault = number.faults.find(({ times }) => times > 0);
  if (fault) fault.times -= 1;
  number.faults = number.faults.filter(({ times }) => times > 0);
  return fault;
}

const unsupported = (id: string, type: string): Fields => ({
  ...(id !== '' && { id }),
  type: 'unsupported',
  errors: [{ code: 131_051, title: 'Message type is not currently supported' }],
  unsupported: { type },
});

const quoting = (number: GraphNumber, quotes: string | null): Fields =>
  quotes === null ? {} : { context: { from: number.digits, id: quotes } };
