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
 * `login` admits owners and agents. `keys` admits only owners; other callers get
 * KEY_MANAGEMENT_REQUIRES_LOGIN.
 */
export type Access = 'none' | 'bearer' | 'login' | 'owner' | 'keys' | 'operator';

export interface CallerKey {
  readonly id: string;
  readonly name: string;
  /** SHA-256 of the key's secret in hex. It changes when the key is rotated. */
  readonly hash: string;
  readonly scopes: readonly Scope[];
  readonly sessionIds: readonly string[] | null;
}

export interface Caller {
  readonly tenantId: string;
  readonly role: 'admin' | 'agent';
  readonly agentId: string;
  readonly agentName: string;
  readonly family: string | null;
  readonly auth: AuditAuth;
  /** `at` is in epoch ms. Null if two-factor is off or the caller is an API key. */
  readonly secondFactor: { readonly at: number | null } | null;
  readonly key: CallerKey | null;
  readonly expiresAt: number | null;
  readonly callingCode: string;
  readonly plan: Plan;
}

export const mayManage = ({ role, key }: Pick<Caller, 'role' | 'key'>): boolean =>
  role === 'admin' && (key === null || key.scopes.includes('manage'));

export const mayLinkPhones = mayManage;

export interface OpenCall<P, Q, B> {
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  /** The validated body with its strings exactly as sent. It is used for fingerprints. */
  readonly sent: unknown;
  readonly lang: Lang;
  readonly langAsked: Lang | null;
  readonly address: string;
  readonly requestId: string;
  readonly cookie: string | undefined;
  readonly header: (name: string) => string | undefined;
  readonly now: number;
}

export interface OperatorCall<P, Q, B> extends OpenCall<P, Q, B> {
  readonly operator: string;
}

export interface Call<P, Q, B> extends OpenCall<P, Q, B> {
  readonly caller: Caller;
  /** For endpoints with `stepUp: {if}`. Fails with STEP_UP_REQUIRED unless the second factor is fresh. */
  readonly expectStepUp: () => void;
  readonly expectTimely: () => void;
}

export interface DeviceCall<P, Q, B> extends Call<P, Q, B> {
  readonly device: DeviceRow;
}

export interface TicketCall<P, Q, B> extends OpenCall<P, Q, B> {
  readonly caller: Caller | undefined;
}

export const namesDevice = ({ path }: { readonly path: string }): boolean => path.includes('{sessionId}');

type TenantCall<Path, P, Q, B> = Path extends `${string}{sessionId}${string}` ? DeviceCall<P, Q, B> : Call<P, Q, B>;

/**
 * With `on`, the audit entry is stored together with the first write to that collection. With
 * `own`, the handler stores the entry. Otherwise it is stored before the action or, for GET, after
 * it.
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

/** Whether a login needs a fresh second factor; `true` and `if` also need an entry in notice-of.ts. */
export type StepUpRule = true | { readonly if: string } | { readonly none: string };

export const asksForCode = (rule: StepUpRule | undefined): rule is true | { readonly if: string } =>
  rule === true || (rule !== undefined && 'if' in rule);

/** `send` is derived from an endpoint's method, access and path (http/auth/admit.ts). */
export type Limit = 'send' | 'validate' | 'scheduled' | 'blast' | 'bulk';

/**
 * A list that the handler returns whole. Without `by`, it is cut to the limit. With `by`, it is
 * split into pages of 1 MB, and the cursor is the first of these fields that a record has.
 */
export interface WholeList {
  readonly of: string;
  readonly by?: readonly string[];
}

type Answer<R> = Promise<R | Raw | Ongoing> | R | Raw | Ongoing;

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
    /** With `?ticket=`, the handler redeems the ticket, and `caller` is undefined. */
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
  readonly summary: string;
  readonly about?: string;
  readonly example?: Readonly<Record<string, unknown>>;
  readonly samples?: Readonly<Record<string, string>>;
  /** Other statuses that have the same body, for documentation only. A 204 has no body. */
  readonly also?: Readonly<Record<number, string>>;
  /** Required for every endpoint except GET endpoints. */
  readonly audit?: AuditRule;
  /** The caller needs all of these scopes. Default: `read` for GET, otherwise `manage`. */
  readonly scope?: Scope | readonly Scope[];
  /** The handler shows agents only their own data. If absent, agents get 403. */
  readonly agents?: true;
  /**
   * The handler checks devices that are not named in the path. If absent, keys restricted to some
   * devices get 403.
   */
  readonly deviceKeys?: true;
  /** Required for every audited action, every DELETE, and every endpoint that returns a file. */
  readonly stepUp?: StepUpRule;
  readonly whileEnding?: true;
  readonly withoutSession?: true;
  readonly limit?: Exclude<Limit, 'send'>;
  readonly heavy?: true;
  readonly list?: WholeList;
  readonly params?: Joi.ObjectSchema<P>;
  readonly query?: Joi.ObjectSchema<Q>;
  readonly body?: Joi.ObjectSchema<B>;
  /** `body` contains only the valid fields. In lists, invalid items are missing and leave holes. */
  check?(body: Partial<B>, now: number): readonly Fault[];
  /**
   * Compares times in the body with the clock. If the call has an idempotency key, this runs only
   * when the handler calls `expectTimely`, so that a retry does not fail.
   */
  timely?(body: Partial<B>, now: number): readonly Fault[];
  /**
   * For endpoints that receive bytes instead of JSON. A type that ends in `*` is a prefix. The
   * handler gets `Bytes` or an `Upload`.
   */
  readonly bytes?: {
    readonly types: readonly string[];
    readonly maxBytes: number;
    readonly stream?: true;
    readonly describedBy?: Joi.Schema;
    /**
     * Fields of a form in addition to its part `file`. Other fields are refused. If absent, all
     * fields are ignored.
     */
    readonly form?: Joi.ObjectSchema;
  };
  /** Maximum number of keys in the whole body; default 2,000. */
  readonly maxKeys?: number;
  /** Header (in lower case) that replaces `Authorization`. Logins may not use such an endpoint. */
  readonly keyHeader?: string;
  shownError?(wire: { readonly status: number; readonly body: { readonly error: string; readonly code: RefusalCode } }): object;
  /** Maximum size of a JSON body; default 1 MiB. */
  readonly maxBytes?: number;
  readonly headers?: readonly string[];
  /** All callers from other machines get 404. */
  readonly loopback?: true;
  readonly cookie?: string;
  /** For endpoints that use a cookie. Pages of other origins get 403 before any other check. */
  readonly sameOrigin?: true;
  readonly knownOrigins?: true;
  /** Plain requests are served without hapi (http/server/direct.ts). */
  readonly direct?: true;
  /** The endpoint is logged only at debug level, and is served even while the node drains. */
  readonly probe?: true;
  readonly status: number;
  readonly produces?: readonly string[];
  readonly returns: Joi.Schema<R>;
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

/** Infers each row's types separately, while the table remains a plain array. */
export const rowsFor =
  <Services>() =>
  <const Path extends string, P, Q, B, R>(row: Row<Services, Path, P, Q, B, R>): AnyRow<Services> =>
    row;

export interface Bytes {
  readonly bytes: Buffer;
  readonly type: string;
}

/** `maxBytes` limits only the announced length, and `takeFile` counts the actual bytes. */
export interface Upload {
  readonly stream: Readable;
  readonly maxBytes: number;
  readonly type: string;
  readonly fields?: readonly string[];
}

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

/** `begin` receives the connection after the headers, and writes the body until the connection closes. */
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
