import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type Joi from 'joi';
import type { Plan } from '../../actors/domain/plans.ts';
import type { Fault, RefusalCode } from '../../actors/domain/refusals.ts';
import type { Safe } from '../../runtime/safe-text.ts';
import type { WriteKind } from '../../store/audit/act-scope.ts';
import type { AuditedCollection } from '../../store/audit/audited-store.ts';
import type { AuditAuth } from '../../store/audit/entry.ts';
import type { DeviceRow } from '../../store/devices/devices.ts';

export type Lang = 'en' | 'id';

/** The scopes of an API key. */
export type Scope = 'read' | 'send' | 'manage';

/**
 * Who may call: none; bearer = JWT or API key; login = owner or agent, no API key; owner = the account owner's
 * login; keys = owner, refused with KEY_MANAGEMENT_REQUIRES_LOGIN; operator = X-Admin-Secret.
 */
export type Access = 'none' | 'bearer' | 'login' | 'owner' | 'keys' | 'operator';

/** The API key of a caller. */
export interface CallerKey {
  readonly id: string;
  readonly name: string;
  /** SHA-256 of its secret, hex: another one since it was rotated. */
  readonly hash: string;
  readonly scopes: readonly Scope[];
  /** The devices that it may use; null: all. */
  readonly sessionIds: readonly string[] | null;
}

/** The authenticated caller. `family` is the login's refresh family, `key` what restricts an API key. */
export interface Caller {
  readonly tenantId: string;
  readonly role: 'admin' | 'agent';
  readonly agentId: string;
  readonly agentName: string;
  readonly family: string | null;
  /** How they proved who they are. */
  readonly auth: AuditAuth;
  /** When the second factor was last proven in this login, epoch ms; null: two-factor is off, or this is an API key. */
  readonly secondFactor: { readonly at: number | null } | null;
  readonly key: CallerKey | null;
  /** Epoch ms when the login's token expires; null: an API key, whose own end may be moved. */
  readonly expiresAt: number | null;
  /** Calling code digits of the business country, for numbers in local format. */
  readonly callingCode: string;
  /** The limits of the tenant's plan. */
  readonly plan: Plan;
}

/** Is it the owner, or a key that may do what the owner may? */
export const mayManage = ({ role, key }: Pick<Caller, 'role' | 'key'>): boolean =>
  role === 'admin' && (key === null || key.scopes.includes('manage'));

/** May the caller link phones, and so see what links one? */
export const mayLinkPhones = mayManage;

/** The input of a handler of a row open to anyone: validated values, never the raw request. */
export interface OpenCall<P, Q, B> {
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  /** The validated body with its texts as they were sent: what fingerprints are made of. */
  readonly sent: unknown;
  readonly lang: Lang;
  /** The language that the request asks for; null: it asks for none. */
  readonly langAsked: Lang | null;
  /** The caller's IP address, as trusted proxies tell it. */
  readonly address: string;
  /** `X-Request-Id`. */
  readonly requestId: string;
  /** The cookie that the row names in `cookie`. */
  readonly cookie: string | undefined;
  /** Request headers that the row names in `headers`, lower case. */
  readonly header: (name: string) => string | undefined;
  /** Epoch ms. */
  readonly now: number;
}

/** The input of a handler of an operator's row. */
export interface OperatorCall<P, Q, B> extends OpenCall<P, Q, B> {
  /** The operator's name. */
  readonly operator: string;
}

/** The input of a handler of a tenant's row. */
export interface Call<P, Q, B> extends OpenCall<P, Q, B> {
  readonly caller: Caller;
  /** Of a row with `stepUp: {if}`: throws Refusal STEP_UP_REQUIRED unless the caller's second factor is fresh (http/auth/admit.ts). */
  readonly expectStepUp: () => void;
  /** Of a row with `timely`: throws Refusal VALIDATION_FAILED with what that finds. */
  readonly expectTimely: () => void;
}

/** The input of a handler of a tenant's row that names a device. */
export interface DeviceCall<P, Q, B> extends Call<P, Q, B> {
  /** The device of `{sessionId}`: loaded, of the caller's tenant, allowed for its key. */
  readonly device: DeviceRow;
}

/** The input of a handler of a row with `tickets`. */
export interface TicketCall<P, Q, B> extends OpenCall<P, Q, B> {
  /** undefined: the call has a ticket. */
  readonly caller: Caller | undefined;
}

/** Has the row's call a device? */
export const namesDevice = ({ path }: { readonly path: string }): boolean => path.includes('{sessionId}');

/** `namesDevice`, for the compiler. */
type TenantCall<Path, P, Q, B> = Path extends `${string}{sessionId}${string}` ? DeviceCall<P, Q, B> : Call<P, Q, B>;

/**
 * What a call leaves in the audit log: its `action` (`<thing>.<verb>`), or `none` and why. With `on`, the entry is stored by the first write of the
 * call to that collection (`kinds`: by these writes only); `own`: the handler itself sees to it. Neither: the act happens outside the store, so it
 * is noted before and its outcome after; of a GET, after. `target`: what kind of thing it is done to, where the action does not begin with it.
 */
export type AuditRule =
  | {
      readonly action: `${string}.${string}`;
      readonly on?: AuditedCollection;
      readonly kinds?: readonly WriteKind[];
      readonly own?: true;
      readonly target?: string;
    }
  | { readonly none: string };

/**
 * Whether a login with two-factor on needs a code not older than ten minutes. It does for whatever widens access, moves where data goes, exports
 * or destroys; an API key passes by its scopes.
 * - `true`: always, checked before the handler runs.
 * - `if`: in this case only, in words. Its handler compares the body with what is stored, calls `expectStepUp`, and writes only what it compared.
 * - `none`: never, and why not.
 *
 * The action of a row with `true` or `if` also needs an entry in actors/services/security/notice-of.ts.
 */
export type StepUpRule = true | { readonly if: string } | { readonly none: string };

/** Whether a row ever needs a code. */
export const asksForCode = (rule: StepUpRule | undefined): rule is true | { readonly if: string } =>
  rule === true || (rule !== undefined && 'if' in rule);

/** Limits that a row may count under, besides the one of requests. `send` follows from its path alone (http/auth/admit.ts). */
export type Limit = 'send' | 'validate' | 'scheduled' | 'blast' | 'bulk';

/**
 * A list that is not paged by the store. It takes `limit`: the first ones. Without `by`, what it holds is bounded when it is written. With `by`, a page of
 * it ends at 1 MB: the next one begins behind the record that `before` names, by the first of these fields that has a value.
 */
export interface WholeList {
  /** The key of its records in the answer. */
  readonly of: string;
  readonly by?: readonly string[];
}

type Answer<R> = Promise<R | Raw | Ongoing> | R | Raw | Ongoing;

/** One endpoint, as data. hapi, validation, permissions, limits, OpenAPI and the docs page are all read from this. Its access and its path decide what its handler gets. */
export type Row<Services, Path, P, Q, B, R> = RowData<P, Q, B, R> & { readonly path: Path } & (
    | { readonly access: 'none'; readonly tickets?: never; run(services: Services, call: OpenCall<Safe<P>, Safe<Q>, Safe<B>>): Answer<R> }
    | {
        readonly access: 'operator';
        readonly tickets?: never;
        run(services: Services, call: OperatorCall<Safe<P>, Safe<Q>, Safe<B>>): Answer<R>;
      }
    | {
        readonly access: TenantAccess;
        readonly tickets?: never;
        run(services: Services, call: TenantCall<Path, Safe<P>, Safe<Q>, Safe<B>>): Answer<R>;
      }
    /** A call with `?ticket=` needs no other credentials: the handler redeems the ticket, and `caller` is undefined. */
    | {
        readonly access: TenantAccess;
        readonly tickets: true;
        run(services: Services, call: TicketCall<Safe<P>, Safe<Q>, Safe<B>>): Answer<R>;
      }
  );

type TenantAccess = Exclude<Access, 'none' | 'operator'>;

interface RowData<P, Q, B, R> {
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Its title: a verb and what it acts on, two to five words. */
  readonly summary: string;
  /** What there is to know beyond the title, in sentences without the last full stop. */
  readonly about?: string;
  /** A body that it takes, for the documents, where the one that is made from the schema is not it. */
  readonly example?: Readonly<Record<string, unknown>>;
  /** Bodies that are not JSON, by media type, as it takes or answers them. For the documents only. */
  readonly samples?: Readonly<Record<string, string>>;
  /** Other statuses with the same body (204: without one), and when they are answered. For the documents only. */
  readonly also?: Readonly<Record<number, string>>;
  /** Of every row but a GET. */
  readonly audit?: AuditRule;
  /** The scopes that an API key needs, all of them; default: read for GET, manage otherwise. */
  readonly scope?: Scope | readonly Scope[];
  /** Agents may use it; the handler narrows what they see. Absent: 403. */
  readonly agents?: true;
  /**
   * A key that is restricted to some devices may use it. The device of `{sessionId}` is checked for every row; whatever else names a device
   * is for the handler to narrow. Absent: 403.
   */
  readonly deviceKeys?: true;
  /** See StepUpRule. Of every row with an action for the audit log, every DELETE, and every row whose answer is a file. */
  readonly stepUp?: StepUpRule;
  /** Also for a login of an account that is about to be deleted. */
  readonly whileEnding?: true;
  /** Of operators: their secret is enough, although two-factor is on. */
  readonly withoutSession?: true;
  readonly limit?: Exclude<Limit, 'send'>;
  /**
   * It reads or writes a lot: few such calls of a tenant are worked on at once, and those of several tenants begin in turn
   * (http/limits/heavy-calls.ts).
   */
  readonly heavy?: true;
  /** Of a list that is answered whole (http/core/whole-lists.ts). */
  readonly list?: WholeList;
  readonly params?: Joi.ObjectSchema<P>;
  readonly query?: Joi.ObjectSchema<Q>;
  readonly body?: Joi.ObjectSchema<B>;
  /**
   * What is wrong with a body beyond its form, told together with what Joi found. It gets the sound fields only, whatever they are (of lists
   * the sound items, with holes for the others); what it says of the others is dropped. `now` is epoch ms.
   */
  check?(body: Partial<B>, now: number): readonly Fault[];
  /**
   * What was right once and is wrong by now, such as a time that is over. Of a request with an idempotency key only its handler may ask (`expectTimely`), once
   * it knows that no earlier request with that key was carried out: that one's answer stays the answer.
   */
  timely?(body: Partial<B>, now: number): readonly Fault[];
  /** In place of `body`: anything of these media types (`*` ends a prefix), handed over unread as `Bytes`; with `stream` as `Upload`, as it comes. */
  readonly bytes?: {
    readonly types: readonly string[];
    readonly maxBytes: number;
    readonly stream?: true;
    /** What the JSON that is sent there looks like. For the documents only: nothing is checked against it. */
    readonly describedBy?: Joi.Schema;
  };
  /** Keys that a JSON body may have in all; default 2,000. For rows that take long lists of records. */
  readonly maxKeys?: number;
  /** Bytes that a JSON body may have; default 1 MiB. */
  readonly maxBytes?: number;
  /** Request headers that `call.header` gives, lower case. */
  readonly headers?: readonly string[];
  /** Only for callers on this machine; to all others the row does not exist (404). */
  readonly loopback?: true;
  /** The cookie that `call.cookie` gives. Such a row is `sameOrigin`. */
  readonly cookie?: string;
  /** Refused with 403 to pages of all other origins (`Sec-Fetch-Site`), before anything else is looked at: a cookie signs in there. */
  readonly sameOrigin?: true;
  /** Refused with 403 to pages of foreign origins (`Origin`), before anything else is looked at. */
  readonly knownOrigins?: true;
  /** Asked so often that plain requests for it are served beside hapi, which costs more than the rest of them (http/server/direct.ts). */
  readonly direct?: true;
  /** Asked by machines every few seconds: logged at debug only, and still answered while the node drains. */
  readonly probe?: true;
  readonly status: number;
  /** Media types of its `Raw` answers; default: JSON. For the documents only. */
  readonly produces?: readonly string[];
  /** Checked against every answer in tests; documents the answer. */
  readonly returns: Joi.Schema<R>;
  /** Codes beyond those that access, validation and limits imply. */
  readonly refuses?: readonly RefusalCode[];
}

// biome-ignore lint/suspicious/noExplicitAny: a table of rows erases each row's own types; `rowsFor` checked them
export type AnyRow<Services> = Row<Services, string, any, any, any, any>;

/** Endpoints that belong together, with their dependencies. */
export interface Area<Services> {
  readonly name: string;
  readonly about: string;
  /** What it tells webhooks and streams, as far as it is described by a schema. */
  readonly events?: readonly EventFacts[];
  readonly rows: readonly AnyRow<Services>[];
}

/** An event for its reader. */
export interface EventFacts {
  readonly type: string;
  /** When it is sent. */
  readonly about: string;
  /** Of its `data`. */
  readonly data: Joi.Schema;
}

/** Lets each row infer its own types while the table stays a plain array. */
export const rowsFor =
  <Services>() =>
  <const Path extends string, P, Q, B, R>(row: Row<Services, Path, P, Q, B, R>): AnyRow<Services> =>
    row;

/** The body of a row with `bytes`: as sent, and its Content-Type in full ('' when there was none). */
export interface Bytes {
  readonly bytes: Buffer;
  readonly type: string;
}

/** The body of a row with `bytes.stream`. More than the row's `maxBytes` is refused before only where the caller said so; `takeFile` counts. */
export interface Upload {
  readonly stream: Readable;
  readonly maxBytes: number;
  /** Its Content-Type in full. */
  readonly type: string;
}

/** An answer that is not JSON, or JSON with another status or headers. */
export class Raw {
  readonly body: string | Buffer | Readable;
  readonly type: string;
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(body: string | Buffer | Readable, type: string, status?: number, headers: Readonly<Record<string, string>> = {}) {
    this.body = body;
    this.type = type;
    this.status = status;
    this.headers = headers;
  }
}

/** An answer without an end: once its headers are written, `begin` gets the connection and writes the body until it closes. */
export class Ongoing {
  readonly type: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly begin: (connection: Socket) => void;

  constructor(type: string, headers: Readonly<Record<string, string>>, begin: (connection: Socket) => void) {
    this.type = type;
    this.headers = headers;
    this.begin = begin;
  }
}
