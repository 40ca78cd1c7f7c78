export interface AuditActor {
  readonly kind: 'owner' | 'agent' | 'key' | 'operator' | 'system';
  readonly id: string | null;
  readonly name: string | null;
}

export type AuditAuth = 'otp' | 'totp' | 'passkey' | 'api_key' | 'secret';

/** The word `changed` is stored in place of confidential values. */
export interface AuditChange {
  readonly field: string;
  readonly from: unknown;
  readonly to: unknown;
}

export interface AuditDraft {
  /** Chosen before the action, so that retries of the action create only one entry. */
  readonly id: string;
  readonly tenant_id: string;
  readonly at: number;
  readonly actor: AuditActor;
  readonly auth: AuditAuth | null;
  readonly address: string | null;
  readonly request_id: string | null;
  readonly action: string;
  readonly target: { readonly kind: string; readonly id: string | null };
  readonly result: 'ok' | 'refused';
  /** `OUTCOME_UNKNOWN` if the process crashed or failed before it knew the result. */
  readonly code: string | null;
  readonly changes: readonly AuditChange[];
}

export const OPERATOR_LOG = 'operator';

/** The erasable part of an entry. The chain contains only a salted commitment to it. */
export interface AuditDetail {
  /** Prevents anyone from guessing an erased value and verifying the guess. */
  readonly salt: string;
  readonly actor_name: string | null;
  readonly address: string | null;
  readonly person: string | null;
  readonly changes: readonly AuditChange[];
}

export interface AuditRow {
  readonly _id: string;
  readonly tenant_id: string;
  readonly seq: number;
  readonly at: number;
  readonly actor_kind: AuditActor['kind'];
  readonly actor_id: string | null;
  readonly auth: AuditAuth | null;
  readonly request_id: string | null;
  readonly action: string;
  readonly target_kind: string;
  /** For a person or their chat, a keyed hash of the number or hidden address. */
  readonly target_id: string | null;
  readonly result: AuditDraft['result'];
  readonly code: string | null;
  readonly commitment: string;
  readonly prev: string;
  /** HMAC-SHA-256 over `prev` and all fields above, in hex. */
  readonly mac: string;
  readonly detail?: AuditDetail;
  /** A keyed hash over `mac`, present once an erasure has removed `detail`. */
  readonly erased?: string;
}
