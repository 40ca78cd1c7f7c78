import { Refusal } from '../../../runtime/errors.ts';
import { isOneOf } from '../../../runtime/shapes.ts';
import {
  type AdFacts,
  boundedFields,
  CONTENT_KINDS,
  type ContentExtras,
  type ContentKind,
} from '../../../store/messaging/content-kinds.ts';
import { buildIn, versionOf } from '../../domain/client-build.ts';
import { isMediaType } from '../../services/media/types.ts';
import { userJid } from '../jid.ts';
import { textOfKind } from '../kind-labels.ts';
import type { Content } from '../port.ts';
import type { MadeCall } from './account-pages.ts';
import { type AnyAct, addressOf, digitsOf, plainNumbers } from './act-numbers.ts';
import { type Attachment, weigh } from './attachment.ts';
import { buildPage, type NetworkBuilds } from './builds.ts';
import { type DeviceBody, formIn, type ShownDevice, shownDevice } from './device-account.ts';
import type { OfficialChanges, OfficialKeys, ShownOfficial } from './official/graph-double.ts';
import type { RememberedMessage } from './phone-history.ts';
import { actionShown, type ShownMessage, screenOf, toShown } from './phone-screen.ts';
import type { Act, Draft, FaultKind, JournalEntry, ShownPresence } from './protocol.ts';
import type { Acted, PhoneHandle, Sandbox } from './sandbox.ts';

export interface WriteBody {
  readonly to: string;
  readonly type?: string;
  readonly body?: string;
  readonly location?: { readonly lat: number; readonly lng: number };
  readonly contact?: { readonly name: string; readonly phone: string };
  readonly poll_name?: string;
  readonly choices?: readonly string[];
  readonly file?: {
    readonly base64?: string;
    readonly size?: number;
    readonly seed?: number;
    readonly filename?: string;
    readonly content_type?: string;
  };
  readonly caption?: string;
  readonly voice_note?: boolean;
  readonly reply_to?: string | null;
  readonly wa_message_id?: string;
  /** Network id of the target message. If a reaction's `body` is '', the reaction is removed. */
  readonly target?: string;
  readonly video?: boolean;
  readonly field?: number;
  readonly content?: Readonly<Record<string, unknown>>;
  readonly contacts?: readonly { readonly name: string; readonly phones: readonly string[] }[];
  readonly place?: { readonly name?: string | null; readonly address?: string | null; readonly url?: string | null };
  readonly ad?: { readonly [Fact in keyof AdFacts]?: string | null };
  readonly mentions?: readonly string[];
  readonly forwarded?: boolean;
  readonly ephemeral?: number;
  /** Whether the picture or video also arrives a second time, in HD. */
  readonly hd?: boolean;
  readonly view_once?: boolean;
  /** Whether this action on a message is encrypted with that message's secret, as current phones do. */
  readonly sealed?: boolean;
  readonly broadcast?: boolean;
  readonly media?: readonly Pick<WriteBody, 'type' | 'file' | 'caption'>[];
}

export interface ScanBody {
  readonly qr?: string;
  readonly pairing_code?: string;
}

export interface PhoneBody {
  readonly online?: boolean;
  readonly reads?: boolean;
  readonly on_network?: boolean;
  readonly name?: string | null;
  readonly about?: string | null;
  readonly lid?: boolean;
  /** If set, also reveals the number to earlier recipients. */
  readonly tells_number?: boolean;
  /** A wrong number that the network reports for the hidden address; null for the real one. */
  readonly told_number?: string | null;
  readonly passkey?: boolean;
  /** Whether groups can add the person. If not, they can only be invited. */
  readonly addable?: boolean;
  readonly business?: boolean;
  readonly number_forms?: readonly string[];
  /** If another account has this name, the name moves to this account. */
  readonly username?: string | null;
  readonly username_key?: string | null;
  readonly saved_as?: string | null;
}

export interface ShownPhone extends Required<PhoneBody> {
  readonly phone: string;
}

export interface FaultBody {
  readonly kind: FaultKind;
  readonly for_ms?: number;
  readonly code?: number;
  readonly times?: number;
  readonly backoff_s?: number;
}

export interface NetworkBody {
  readonly current_build?: string;
  readonly min_build?: string | null;
  readonly notice_expires_at?: number | null;
}

/** The sandbox's HTTP API as functions. Fails with NOT_FOUND, VALIDATION_FAILED or CONFLICT. */
export interface SandboxVerbs {
  messages(phone: string, query?: { readonly limit?: number }): { readonly messages: readonly ShownMessage[] };
  write(phone: string, body: WriteBody): ShownMessage;
  scan(phone: string, body: ScanBody): { readonly ok: true };
  phone(phone: string): ShownPhone & { readonly presences: readonly ShownPresence[]; readonly calls: readonly MadeCall[] };
  change(phone: string, body: PhoneBody): ShownPhone;
  fault(phone: string, body: FaultBody): { readonly ok: true };
  device(phone: string): ShownDevice;
  changeDevice(phone: string, body: DeviceBody): ShownDevice;
  remember(phone: string, body: { readonly messages: readonly RememberedMessage[] }): { readonly ok: true };
  /** Returns the login (NDJSON) of the external program to which this phone is linked. */
  login(phone: string): string;
  oldClient(phone: string, body: { readonly online: boolean }): { readonly phone: string; readonly online: boolean };
  changeNetwork(body: NetworkBody): Required<NetworkBody>;
  buildPage(): string;
  act(phone: string, body: AnyAct): { readonly ok: true } & Acted;
  createGroup(body: { readonly members: readonly string[] }): { readonly group: string };
  createOfficial(body: { readonly waba_id?: string; readonly phone_number?: string }): OfficialKeys;
  changeOfficial(phoneNumberId: string, body: OfficialChanges): ShownOfficial;
  officialUrl(): Promise<string>;
  journal(query?: { readonly after?: number; readonly limit?: number }): {
    readonly entries: readonly JournalEntry[];
    readonly next: number;
  };
}

export function sandboxVerbs(sandbox: Sandbox): SandboxVerbs {
  const phoneOf = (text: string): PhoneHandle => sandbox.phone(digitsOf(text));
  return {
    messages: (phone, { limit = 50 } = {}) => ({ messages: screenOf(phoneOf(phone), Math.min(limit, 500)) }),
    write: (phone, body) => written(phoneOf(phone), digitsOf(phone), body),
    scan(phone, body) {
      phoneOf(phone).scan(shownBy(body));
      return { ok: true };
    },
    phone: (phone) => ({
      ...shownPhone(phoneOf(phone), digitsOf(phone)),
      presences: phoneOf(phone).presences(),
      calls: phoneOf(phone).calls(),
    }),
    change: (phone, body) => changed(phoneOf(phone), digitsOf(phone), body),
    fault(phone, { kind, for_ms, code, times, backoff_s }) {
      const refusing = { ...(code !== undefined && { code }), ...(times !== undefined && { times }) };
      const lasting = { ...(for_ms !== undefined && { forMs: for_ms }), ...(backoff_s !== undefined && { backoffMs: backoff_s * 1_000 }) };
      sandbox.device(digitsOf(phone)).fault({ kind, ...refusing, ...lasting });
      return { ok: true };
    },
    device: (phone) => shownDevice(digitsOf(phone), sandbox.device(digitsOf(phone))),
    changeDevice(phone, body) {
      sandbox.device(digitsOf(phone)).form(formIn(body));
      return shownDevice(digitsOf(phone), sandbox.device(digitsOf(phone)));
    },
    remember(phone, { messages }) {
      sandbox.device(digitsOf(phone)).remembers(messages.map(({ chat, ...said }) => ({ chat: addressOf(chat), ...said })));
      return { ok: true };
    },
    login: (phone) => sandbox.device(digitsOf(phone)).login(),
    oldClient: (phone, { online }) => ({ phone: digitsOf(phone), online: sandbox.device(digitsOf(phone)).oldClient(online) }),
    changeNetwork: (body) => shownNetwork(sandbox.builds(networkChanges(body))),
    buildPage: () => buildPage(sandbox.builds()),
    act: (phone, body) => ({ ok: true, ...phoneOf(phone).act(plainNumbers(body)) }),
    createGroup: ({ members }) => ({ group: sandbox.createGroup(members.map(digitsOf)) }),
    createOfficial: (body) => sandbox.official.create(body),
    changeOfficial: (phoneNumberId, body) => sandbox.official.change(phoneNumberId, body),
    officialUrl: () => sandbox.official.url(),
    journal({ after = 0, limit = 1_000 } = {}) {
      const entries = sandbox.journal.after(after, limit);
      return { entries, next: entries.at(-1)?.seq ?? after };
    },
  };
}

function networkChanges({ current_build, min_build, notice_expires_at }: NetworkBody): Partial<NetworkBuilds> {
  const build = (version: string): number => buildIn(version) ?? 0;
  return {
    ...(current_build !== undefined && { current: build(current_build) }),
    ...(min_build !== undefined && { min: min_build === null ? null : build(min_build) }),
    ...(notice_expires_at !== undefined && { noticeExpiresAt: notice_expires_at }),
  };
}

const shownNetwork = ({ current, min, noticeExpiresAt }: NetworkBuilds): Required<NetworkBody> => ({
  ...{ current_build: versionOf(current), min_build: min === null ? null : versionOf(min), notice_expires_at: noticeExpiresAt },
});

function written(phone: PhoneHandle, digits: string, body: WriteBody): ShownMessage {
  const to = addressOf(body.to);
  const passing = { from: digits, to, body: null, reply_to: null };
  if (body.type === 'call') return { type: 'call', ...passing, ...phone.call({ to, video: body.video ?? false }) };
  if (body.type === 'read') return { type: 'read', ...passing, ...phone.look(to) };
  const act = actOf(body);
  if (act) return actionShown(phone.do({ to, target: needed('target', body.target), act }));
  if (body.type === 'album') return album(phone, body, to);
  if (body.type === 'unsupported') return toShown(phone.writeUnknown({ to, field: needed('field', body.field) }));
  const draft = draftOf(body, to);
  const shown = toShown(phone.write(draft));
  const { netId: _ofFirst, ...second } = draft;
  if (body.hd && draft.attachment) phone.write({ ...second, renders: shown.id });
  return shown;
}

function album(phone: PhoneHandle, body: WriteBody, to: string): ShownMessage {
  const extras = { album: { net_id: `album ${crypto.randomUUID()}` } };
  const drafts = needed('media', body.media).map((part) => draftOf({ ...part, to }, to));
  const parts = drafts.map((draft) => toShown(phone.write({ ...draft, extras: { ...draft.extras, ...extras } })));
  return { ...needed('media', parts[0]), type: 'album', caption: null };
}

function draftOf(body: WriteBody, to: string): Draft {
  const extras = extrasOf(body);
  const target = body.type === 'comment' ? body.target : undefined;
  return {
    to,
    ...writtenBy(body),
    quotes: body.reply_to ?? target ?? null,
    ...(body.wa_message_id !== undefined && { netId: body.wa_message_id }),
    ...(body.mentions && { mentions: body.mentions.map((who) => (who.includes('@') ? who : userJid(digitsOf(who)))) }),
    ...(Object.keys(extras).length > 0 && { extras }),
  };
}

function kindOf({ type, view_once: viewOnce }: WriteBody): ContentKind | null {
  if (viewOnce) return 'view_once';
  return isOneOf<ContentKind>(CONTENT_KINDS, type) ? type : null;
}

function extrasOf(body: WriteBody): ContentExtras {
  const { contacts, place, ad, forwarded, ephemeral } = body;
  const kind = kindOf(body);
  return {
    ...(kind && { kind, content: boundedFields(fieldsOf(kind, body)) }),
    ...(contacts && { contacts: contacts.map(({ name, phones }) => ({ name, phones: phones.map(digitsOf) })) }),
    ...(place && { place: { name: null, address: null, url: null, ...place } }),
    ...(ad && { ad: { title: null, body: null, source_url: null, source_id: null, ctwa: null, ...ad } }),
    ...(forwarded && { forwarded }),
    ...(ephemeral !== undefined && { ephemeral }),
  };
}

function fieldsOf(kind: ContentKind, { type, content = {}, target }: WriteBody): Readonly<Record<string, unknown>> {
  if (kind === 'view_once') return { media: type === 'view_once' || type === undefined ? null : type, ...content };
  return kind === 'comment' && target !== undefined ? { target, ...content } : content;
}

function actOf({ type, body, choices }: WriteBody): Act | null {
  switch (type) {
    case 'reaction':
      return { kind: 'reaction', emoji: needed('body', body) };
    case 'edit':
      return { kind: 'edited', body: needed('body', body) };
    case 'delete':
      return { kind: 'deleted' };
    case 'vote':
      return { kind: 'vote', choices: needed('choices', choices) };
    default:
      return null;
  }
}

function changed(phone: PhoneHandle, digits: string, body: PhoneBody): ShownPhone {
  const { on_network: onNetwork, tells_number: tellsNumber, told_number: toldNumber, ...others } = body;
  const { number_forms: numberForms, username_key: usernameKey, saved_as: savedAs, ...rest } = others;
  const named = {
    ...(toldNumber !== undefined && { toldNumber: toldNumber && digitsOf(toldNumber) }),
    ...(onNetwork !== undefined && { onNetwork }),
    ...(tellsNumber !== undefined && { tellsNumber }),
    ...(usernameKey !== undefined && { usernameKey }),
    ...(savedAs !== undefined && { savedAs }),
  };
  phone.set({ ...rest, ...named, ...(numberForms && { numberForms: numberForms.map(digitsOf) }) });
  return shownPhone(phone, digits);
}

function shownPhone(phone: PhoneHandle, digits: string): ShownPhone {
  const {
    onNetwork: on_network,
    tellsNumber: tells_number,
    toldNumber: told_number,
    numberForms: number_forms,
    usernameKey: username_key,
    savedAs: saved_as,
    ...now
  } = phone.settings();
  return { phone: digits, on_network, tells_number, told_number, number_forms, username_key, saved_as, ...now };
}

function shownBy({ qr, pairing_code: pairingCode }: ScanBody): { readonly qr: string } | { readonly pairingCode: string } {
  if (qr !== undefined) return { qr };
  if (pairingCode !== undefined) return { pairingCode };
  throw new Refusal('VALIDATION_FAILED', { field: 'qr', reason: 'qr or pairing_code is required' });
}

function writtenBy(body: WriteBody): Pick<Draft, 'content' | 'attachment'> {
  const kind = kindOf(body);
  if (kind) return { content: { type: 'text', body: body.body ?? textOfKind(kind, body.content ?? {}) } };
  const type = body.type === 'voice' ? 'audio' : (body.type ?? 'text');
  if (!isMediaType(type)) return { content: contentOf(body) };
  const { filename = null, content_type: contentType = 'application/octet-stream', base64, size = 0, seed = 0 } = needed('file', body.file);
  const attachment: Attachment = base64 === undefined ? { size, seed } : { base64 };
  const file = { contentType, filename, ...weigh(attachment) };
  return {
    content: { type, file, caption: body.caption ?? null, voiceNote: body.voice_note ?? body.type === 'voice' },
    attachment,
  };
}

function contentOf({ type = 'text', body, location, contact, contacts, poll_name, choices }: WriteBody): Content {
  switch (type) {
    case 'text':
      return { type, body: needed('body', body) };
    case 'location':
      return { type, ...needed('location', location) };
    case 'contact':
      if (!contacts?.[0]) return { type, ...needed('contact', contact) };
      return { type, name: contacts[0].name, phone: digitsOf(contacts[0].phones[0] ?? '') };
    case 'poll':
      return { type, name: needed('poll_name', poll_name), choices: needed('choices', choices) };
    default:
      throw new Refusal('VALIDATION_FAILED', { field: 'type', reason: 'type must be a message type' });
  }
}

function needed<T>(field: string, value: T | undefined): T {
  if (value === undefined) throw new Refusal('VALIDATION_FAILED', { field, reason: `${field} is required` });
  return value;
}
