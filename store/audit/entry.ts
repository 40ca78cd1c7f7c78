/** `id` is null if the caller was not identified. */
export interface AuditActor {
  readonly kind: 'owner' | 'agent' | 'key' | 'operator' | 'system';
  readonly id: string | null;
  readonly name: string | null;
}

export type AuditAuth = 'otp' | 'totp' | 'passkey' | 'api_key' | 'secret';

/** One changed field with its values before and after; `changed` replaces confidential values. */
export interface AuditChange {
  readonly field: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** An act before it is appended to the log, as plain JSON. `at` is epoch ms. */
export interface AuditDraft {
  /** ULID, chosen before the act, so that retries create only one entry. */
  readonly id: string;
  readonly tenant_id: string;
  readonly at: number;
  readonly actor: AuditActor;
  readonly auth: AuditAuth | null;
  readonly address: string | null;
  readonly request_id: string | null;
  readonly action: string;
  /** `id` of a `person` is a phone number. */
  readonly target: { readonly kind: string; readonly id: string | null };
  readonly result: 'ok' | 'refused';
  /** `OUTCOME_UNKNOWN` when the process died or failed before it knew the result. */
  readonly code: string | null;
  readonly changes: readonly AuditChange[];
}

export const OPERATOR_LOG = 'operator';

/** The erasable part of an entry; the chain holds only a salted commitment to it. */
export interface AuditDetail {
  /** Random, hex: prevents erased values from being guessed and verified. */
  readonly salt: string;
  readonly actor_name: string | null;
  readonly address: string | null;
  /** The target person's number or address; null if the target was not a person. */
  readonly person: string | null;
  readonly changes: readonly AuditChange[];
}

export interface AuditRow {
  readonly _id: string;
  readonly tenant_id: string;
  /** From 1, without gaps. */
  readonly seq: number;
  readonly at: number;
  readonly actor_kind: AuditActor['kind'];
  readonly actor_id: string | null;
  readonly auth: AuditAuth | null;
  readonly request_id: string | null;
  readonly action: string;
  readonly target_kind: string;
  /** For a person or their chat: a keyed hash of the number or hidden address. */
  readonly target_id: string | null;
  readonly result: AuditDraft['result'];
  readonly code: string | null;
  /** SHA-256 over salt and detail, hex. */
  readonly commitment: string;
  /** `mac` of the previous entry; '' for the first one. */
  readonly prev: string;
  /** HMAC-SHA-256 over `prev` and all fields before it, hex. */
  readonly mac: string;
  /** Absent if erased. */
  readonly detail?: AuditDetail;
  /** Present once an erasure has removed `detail`: a keyed hash over `mac`. */
  readonly erased?: string;
}
