/** Who acted: the owner, an agent, an API key, an operator, or the gateway itself. `id` is null where nobody was recognised. */
export interface AuditActor {
  readonly kind: 'owner' | 'agent' | 'key' | 'operator' | 'system';
  readonly id: string | null;
  readonly name: string | null;
}

/** How the actor proved who they are. */
export type AuditAuth = 'otp' | 'totp' | 'passkey' | 'api_key' | 'secret';

/** One field of a changed record, with its values before and after; `changed` in place of values that nobody has to see. */
export interface AuditChange {
  readonly field: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** An act, before it has its place in the log. Plain JSON: it travels in rows and between nodes. `at` is epoch ms. */
export interface AuditDraft {
  /** ULID, chosen before the act, so that the entry is made once however often that is tried. */
  readonly id: string;
  /** Whose log: a tenant's, or `operator`. */
  readonly tenant_id: string;
  readonly at: number;
  readonly actor: AuditActor;
  readonly auth: AuditAuth | null;
  readonly address: string | null;
  readonly request_id: string | null;
  /** `<thing>.<verb>`. */
  readonly action: string;
  /** `id` of a `person` is a phone number. */
  readonly target: { readonly kind: string; readonly id: string | null };
  readonly result: 'ok' | 'refused';
  /** Why it was refused; `OUTCOME_UNKNOWN`: the process died, or failed, before it knew. */
  readonly code: string | null;
  readonly changes: readonly AuditChange[];
}

/** The log of what concerns no single tenant. */
export const OPERATOR_LOG = 'operator';

/** What may be erased of an entry without breaking the chain, which holds a salted commitment to it only. */
export interface AuditDetail {
  /** Random, hex: without it nobody can try out what was erased. */
  readonly salt: string;
  readonly actor_name: string | null;
  readonly address: string | null;
  /** The number or address of a person that stood as the target; null: it was none. */
  readonly person: string | null;
  readonly changes: readonly AuditChange[];
}

/** An entry in its chain. */
export interface AuditRow {
  readonly _id: string;
  readonly tenant_id: string;
  /** From 1, without a gap. */
  readonly seq: number;
  readonly at: number;
  readonly actor_kind: AuditActor['kind'];
  readonly actor_id: string | null;
  readonly auth: AuditAuth | null;
  readonly request_id: string | null;
  readonly action: string;
  readonly target_kind: string;
  /** Of a person, also where it is their chat: a keyed hash of the number or hidden address. */
  readonly target_id: string | null;
  readonly result: AuditDraft['result'];
  readonly code: string | null;
  /** SHA-256 over salt and detail, hex. */
  readonly commitment: string;
  /** `mac` of the entry before; of the first one, ''. */
  readonly prev: string;
  /** HMAC-SHA-256 over `prev` and all of the above, hex. */
  readonly mac: string;
  /** Absent: erased. */
  readonly detail?: AuditDetail;
  /** Present once an erasure has removed `detail`: a keyed hash over `mac`. */
  readonly erased?: string;
}
