/**
 * The model of the API: each endpoint is a row of data with a handler. Routes, validation,
 * permissions, limits, audit, OpenAPI and the docs page are derived from these rows, so they always
 * agree.
 */

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

export type Scope = 'read' | 'send' | 'manage';

/**
 * none: anyone; bearer: JWT or API key; login: owner or agent; owner: the account owner's login;
 * keys: owner, refused with KEY_MANAGEMENT_REQUIRES_LOGIN; operator: X-Admin-Secret.
 */
export type Access = 'none' | 'bearer' | 'login' | 'owner' | 'keys' | 'operator';

export interface CallerKey {
  readonly id: string;
  readonly name: string;
  /** SHA-256 of its secret, hex; changes when the key is rotated. */
  readonly hash: string;
  readonly scopes: readonly Scope[];
  /** The devices that the key may use; null means all. */
  readonly sessionIds: readonly string[] | null;
}

/** The authenticated caller. `family` is the login's refresh family; `key` holds the restrictions of an API key. */
export interface Caller {
  readonly tenantId: string;
  readonly role: 'admin' | 'agent';
  readonly agentId: string;
  readonly agentName: string;
  readonly family: string | null;
  readonly auth: AuditAuth;
  /**
   * When the second factor was last verified in this login, epoch ms; null if two-factor is off or the
   * caller is an API key.
   */
  readonly secondFactor: { readonly at: number | null } | null;
  readonly key: CallerKey | null;
  /** Epoch ms when the login's token expires; null for an API key, whose expiry can be changed. */
  readonly expiresAt: number | null;
  /** Calling code (digits) of the business's country, for numbers in local format. */
  readonly callingCode: string;
  readonly plan: Plan;
}

/** Whether the caller is the owner, or a key with the owner's permissions. */
export const mayManage = ({ role, key }: Pick<Caller, 'role' | 'key'>): boolean =>
  role === 'admin' && (key === null || key.scopes.includes('manage'));

/** Whether the caller may link phones, and so see the data that links one. */
export const mayLinkPhones = mayManage;

/** The input of a handler of a row open to anyone: validated values, never the raw request. */
export interface OpenCall<P, Q, B> {
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  /** The validated body with its strings as sent; used for fingerprints. */
  readonly sent: unknown;
  readonly lang: Lang;
  /** The language that the request names; null if it does not name one. */
  readonly langAsked: Lang | null;
  readonly address: string;
  readonly requestId: string;
  readonly cookie: string | undefined;
  /** Request headers that the row names in `headers`, lower case. */
  readonly header: (name: string) => string | undefined;
  readonly now: number;
}

export interface OperatorCall<P, Q, B> extends OpenCall<P, Q, B> {
  readonly operator: string;
}

export interface Call<P, Q, B> extends OpenCall<P, Q, B> {
  readonly caller: Caller;
  /**
   * For rows with `stepUp: {if}`: fails with STEP_UP_REQUIRED unless the caller's second factor is fresh
   * (http/auth/admit.ts).
   */
  readonly expectStepUp: () => void;
  /** For rows with `timely`: fails with VALIDATION_FAILED and the faults that `timely` finds. */
  readonly expectTimely: () => void;
}

export interface DeviceCall<P, Q, B> extends Call<P, Q, B> {
  /** The device of `{sessionId}`: loaded, owned by the caller's tenant, allowed for its key. */
  readonly device: DeviceRow;
}

export interface TicketCall<P, Q, B> extends OpenCall<P, Q, B> {
  /** undefined if the call has a ticket. */
  readonly caller: Caller | undefined;
}

export const namesDevice = ({ path }: { readonly path: string }): boolean => path.includes('{sessionId}');

type TenantCall<Path, P, Q, B> = Path extends `${string}{sessionId}${string}` ? DeviceCall<P, Q, B> : Call<P, Q, B>;

/**
 * The audit entry of a call: its `action` (`<thing>.<verb>`), or `none` with the reason.
 * - With `on`, the first write of the call to that collection stores the entry (`kinds`: only these
 *   writes).
 * - With `own`, the handler writes the entry itself.
 * - With neither, the action happens outside the store: the entry is written before it and the
 *   outcome after it; for a GET, only after it.
 * - `target`: the kind of thing acted on, if the action does not begin with it.
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
 * Whether a login with two-factor on needs a code not older than ten minutes. Needed for rows that
 * widen access, change where data goes, export or destroy data; an API key passes by its scopes.
 * - `true`: always, checked before the handler runs.
 * - `if`: only in the case described. The handler compares the body with the stored data, calls
 *   `expectStepUp`, and writes only what it compared.
 * - `none`: never, with the reason.
 *
 * The action of a row with `true` or `if` also needs an entry in
 * actors/services/security/notice-of.ts.
 */
export type StepUpRule = true | { readonly if: string } | { readonly none: string };

export const asksForCode = (rule: StepUpRule | undefined): rule is true | { readonly if: string } =>
  rule === true || (rule !== undefined && 'if' in rule);

/**
 * Limits that a row may count under, in addition to the request limit. `send` follows from its path
 * alone (http/auth/admit.ts).
 */
export type Limit = 'send' | 'validate' | 'scheduled' | 'blast' | 'bulk';

/**
 * A list that the store does not page; the query `limit` cuts it. Without `by`, it is bounded when
 * written. With `by`, a page ends at 1 MB, and `before` names the record (its first of these
 * fields with a value) before the next page.
 */
export interface WholeList {
  readonly of: string;
  readonly by?: readonly string[];
}

type Answer<R> = Promise<R | Raw | Ongoing> | R | Raw | Ongoing;

/** One endpoint, as data: routes, validation, permissions, limits, OpenAPI and the docs page are derived from it. */
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
  /** Title: a verb and its object, two to five words. */
  readonly summary: string;
  /** Further details, as sentences without the final full stop. */
  readonly about?: string;
  /** An example body for the documents, where the one generated from the schema is unsuitable. */
  readonly example?: Readonly<Record<string, unknown>>;
  /** Bodies that are not JSON, by media type, that the row accepts or returns. For the documents only. */
  readonly samples?: Readonly<Record<string, string>>;
  /** Other statuses with the same body (204: without a body), and when they are returned. For the documents only. */
  readonly also?: Readonly<Record<number, string>>;
  /** Required for every row except a GET. */
  readonly audit?: AuditRule;
  /** The scopes that an API key needs, all of them; default: `read` for GET, `manage` otherwise. */
  readonly scope?: Scope | readonly Scope[];
  /** True if agents may use the row; the handler restricts the data to theirs. Absent: 403. */
  readonly agents?: true;
  /** True if keys for some devices may use the row; the handler checks devices named outside the path. Absent: 403. */
  readonly deviceKeys?: true;
  /** See StepUpRule. Required for every row with an audited action, every DELETE, and every row that returns a file. */
  readonly stepUp?: StepUpRule;
  /** True if the row also serves logins of an account that is about to be deleted. */
  readonly whileEnding?: true;
  /** For operator rows: the secret is enough, even with two-factor on. */
  readonly withoutSession?: true;
  readonly limit?: Exclude<Limit, 'send'>;
  /** A heavy row: a few calls of a tenant run at once, and tenants take turns (http/limits/heavy-calls.ts). */
  readonly heavy?: true;
  readonly list?: WholeList;
  readonly params?: Joi.ObjectSchema<P>;
  readonly query?: Joi.ObjectSchema<Q>;
  readonly body?: Joi.ObjectSchema<B>;
  /**
   * Faults of a body that its schema does not cover. Gets only the valid fields, lists with holes for
   * invalid items. `now`: epoch ms.
   */
  check?(body: Partial<B>, now: number): readonly Fault[];
  /**
   * Faults that depend on the current time. With an idempotency key only the handler checks them
   * (`expectTimely`): a repeated request gets its earlier response even if the time has passed.
   */
  timely?(body: Partial<B>, now: number): readonly Fault[];
  /** In place of `body`: media types (`*` ends a prefix), passed as `Bytes`, or with `stream` as an `Upload`. */
  readonly bytes?: {
    readonly types: readonly string[];
    readonly maxBytes: number;
    readonly stream?: true;
    /** The JSON schema of the body. For the documents only, not for validation. */
    readonly describedBy?: Joi.Schema;
    /** The fields of a form besides its part `file`; others are refused. If absent, all fields are ignored. */
    readonly form?: Joi.ObjectSchema;
  };
  /** Maximum keys of a JSON body in total; default 2,000. For rows that accept long lists of records. */
  readonly maxKeys?: number;
  /** The header that holds an API key in place of `Authorization`, lower case. Logins may not use such a row. */
  readonly keyHeader?: string;
  /** The error body for programs written for other gateways. Default: our own format (http/core/errors.ts). */
  shownError?(wire: { readonly status: number; readonly body: { readonly error: string; readonly code: RefusalCode } }): object;
  /** Maximum bytes of a JSON body; default 1 MiB. */
  readonly maxBytes?: number;
  readonly headers?: readonly string[];
  /** True if the row exists only for callers on this machine; all others get 404. */
  readonly loopback?: true;
  /** The cookie available as `call.cookie`. Such a row is `sameOrigin`. */
  readonly cookie?: string;
  /** Pages of other origins get 403 before any other check, because the row authenticates with a cookie. */
  readonly sameOrigin?: true;
  /** Pages of unknown origins (`Origin`) get 403 before any other check. */
  readonly knownOrigins?: true;
  /** True for frequent rows: plain requests are served without hapi (http/server/direct.ts). */
  readonly direct?: true;
  /** True for rows that machines poll: logged at debug level only, and served while the node drains. */
  readonly probe?: true;
  readonly status: number;
  /** Media types of the row's `Raw` responses; default: JSON. For the documents only. */
  readonly produces?: readonly string[];
  /** Schema of the response: used for the documents, and every response is checked against it in tests. */
  readonly returns: Joi.Schema<R>;
  /** Codes in addition to those implied by access, validation and limits. */
  readonly refuses?: readonly RefusalCode[];
}

// biome-ignore lint/suspicious/noExplicitAny: a table of rows erases each row's own types; `rowsFor` checked them
export type AnyRow<Services> = Row<Services, string, any, any, any, any>;

export interface Area<Services> {
  readonly name: string;
  readonly about: string;
  readonly events?: readonly EventFacts[];
  readonly rows: readonly AnyRow<Services>[];
}

export interface EventFacts {
  readonly type: string;
  readonly about: string;
  readonly data: Joi.Schema;
}

/** Infers the types of each row separately while the table stays a plain array. */
export const rowsFor =
  <Services>() =>
  <const Path extends string, P, Q, B, R>(row: Row<Services, Path, P, Q, B, R>): AnyRow<Services> =>
    row;

/** The body of a row with `bytes`, as sent, and its full Content-Type ('' if it was missing). */
export interface Bytes {
  readonly bytes: Buffer;
  readonly type: string;
}

/**
 * A streamed body. One over `maxBytes` is rejected early only if its announced length is too large;
 * `takeFile` counts the bytes.
 */
export interface Upload {
  readonly stream: Readable;
  readonly maxBytes: number;
  readonly type: string;
  /** The fields that a form may have; absent: any. */
  readonly fields?: readonly string[];
}

/** A response that is not JSON, or JSON with another status or headers. */
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

/**
 * A response without an end: once its headers are written, `begin` receives the connection and writes
 * the body until it closes.
 */
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
