import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type Joi from 'joi';
import type { Plan } from '../actors/plans.ts';
import type { RefusalCode } from '../actors/refusals.ts';
import type { DeviceRow } from '../store/devices.ts';

export type Lang = 'en' | 'id';

/**
 * Who may call (spec.md part 4): none; bearer = JWT or API key; login = owner or agent, no API key; owner = the account owner's
 * login; keys = owner, refused with KEY_MANAGEMENT_REQUIRES_LOGIN; operator = X-Admin-Secret.
 */
export type Access = 'none' | 'bearer' | 'login' | 'owner' | 'keys' | 'operator';

/** The authenticated caller. `family` is the login's refresh family, `key` what restricts an API key. */
export interface Caller {
  readonly tenantId: string;
  readonly role: 'admin' | 'agent';
  readonly agentId: string;
  readonly agentName: string;
  readonly family: string | null;
  readonly key: { readonly id: string; readonly sessionIds: readonly string[] | null } | null;
  /** Calling code digits of the business country, for numbers in local format (convention 3). */
  readonly callingCode: string;
  /** What the tenant's plan allows. */
  readonly plan: Plan;
}

/** What a handler gets: validated input, never the raw request. */
export interface Call<P, Q, B> {
  /** Absent on rows open to anyone. */
  readonly caller: Caller;
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  readonly lang: Lang;
  /** The caller's IP address, as trusted proxies tell it. */
  readonly address: string;
  /** Request headers that the row names in `headers`, lower case. */
  readonly header: (name: string) => string | undefined;
  /** Epoch ms. */
  readonly now: number;
  /** The device of `{sessionId}`: loaded, of the caller's tenant, allowed for its key. Absent on rows without that parameter. */
  readonly device: DeviceRow;
}

/** The limits of spec.md part 8 that a row counts under, besides the per-key one. */
export type Limit = 'send' | 'validate' | 'scheduled' | 'blast' | 'bulk';

/** One endpoint, as data. hapi, validation, permissions, limits, OpenAPI and the docs page are all read from this. */
export interface Row<World, P, Q, B, R> {
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly summary: string;
  readonly access: Access;
  /** What an API key must be allowed to (api.md "API keys"); default: read for GET, manage otherwise. */
  readonly scope?: 'read' | 'send' | 'manage';
  /** Agent logins get 403 where false; default true. */
  readonly agents?: boolean;
  readonly limit?: Limit;
  readonly params?: Joi.ObjectSchema<P>;
  readonly query?: Joi.ObjectSchema<Q>;
  readonly body?: Joi.ObjectSchema<B>;
  /** In place of `body`: anything of these media types (`*` ends a prefix), handed over unread as `Bytes`; with `stream` as `Upload`, as it comes. */
  readonly bytes?: { readonly types: readonly string[]; readonly maxBytes: number; readonly stream?: true };
  /** Keys that a JSON body may have in all; default 2,000. For rows that take long lists of records. */
  readonly maxKeys?: number;
  /** Bytes that a JSON body may have; default 1 MiB. */
  readonly maxBytes?: number;
  /** Request headers that `call.header` gives, lower case. */
  readonly headers?: readonly string[];
  /** Only for callers on this machine; to all others the row does not exist (404). */
  readonly loopback?: true;
  /** Asked by machines every few seconds: logged at debug only, and still answered while the node drains. */
  readonly probe?: true;
  readonly status: number;
  /** Media types of its `Raw` answers; default: JSON. For the documents only. */
  readonly produces?: readonly string[];
  /** Checked against every answer in tests; documents the answer. */
  readonly returns: Joi.Schema<R>;
  /** Codes beyond those that access, validation and limits imply. */
  readonly refuses?: readonly RefusalCode[];
  run(world: World, call: Call<P, Q, B>): Promise<R | Raw | Ongoing> | R | Raw | Ongoing;
}

// biome-ignore lint/suspicious/noExplicitAny: a table of rows erases each row's own types; `rowsFor` checked them
export type AnyRow<World> = Row<World, any, any, any, any>;

/** Endpoints that belong together and what they need of the world. */
export interface Area<World> {
  readonly name: string;
  readonly about: string;
  readonly rows: readonly AnyRow<World>[];
}

/** Lets each row infer its own types while the table stays a plain array. */
export const rowsFor =
  <World>() =>
  <P, Q, B, R>(row: Row<World, P, Q, B, R>): AnyRow<World> =>
    row;

/** The body of a row with `bytes`: as sent, and its Content-Type in full ('' when there was none). */
export interface Bytes {
  readonly bytes: Buffer;
  readonly type: string;
}

/** The body of a row with `bytes.stream`. More than `maxBytes` is refused before only where the caller said so: whoever reads it counts. */
export interface Upload {
  readonly stream: Readable;
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

/** An answer without an end: once its headers are written, `begin` gets the connection, and the body is what is written there until it closes. */
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
