type Mark = 'archived' | 'pinned' | 'muted_until' | 'unread';

export type ChatStatus = 'open' | 'pending' | 'resolved';

export interface Tag {
  readonly name: string;
  readonly color: string;
}

/** A note of the team. Times are epoch ms. */
export interface ChatNote {
  readonly id: string;
  readonly text: string;
  /** The author: an agent, or the tenant for its owner and keys; null for the gateway. */
  readonly by: string | null;
  readonly author: string | null;
  readonly created_at: number;
}

/** Versions before 0.2 stored the text alone. */
export type StoredNote = string | ChatNote;

/** A conversation of a device. Times are epoch ms; message ids are ULIDs, or '' for none. */
export interface ChatRow {
  readonly _id: string;
  readonly id: string;
  readonly tenant_id: string;
  readonly session_id: string;
  readonly chat_id: string;
  readonly chat_name: string | null;
  readonly is_group: 0 | 1;
  readonly last_message: string | null;
  readonly last_message_at: number;
  readonly last_message_id: string;
  readonly last_inbound_id: string;
  /** Everything up to this message has been read. */
  readonly read_up_to: string;
  /** Inbound messages after `read_up_to`, counted up to 1,000. */
  readonly unread_count: number;
  readonly status: ChatStatus;
  /** An inbound message after this one re-opens the chat. */
  readonly decided_at: string;
  /** When the chat was last resolved; absent when never. */
  readonly resolved_at?: number;
  /** The message of the last hand-off to a person; absent when there was none. */
  readonly handed_off?: string;
  readonly agent_id: string | null;
  /** Whether the tenant's rule must choose an agent, after creation or re-opening. */
  readonly seeks_agent: boolean;
  /** Number of changes of `agent_id`; the outbox refers to the last one. */
  readonly assignments: number;
  /** 0 when never. */
  readonly assigned_at: number;
  /** The author of the assignment: an agent, the tenant (its owner and keys), or null for the rule. */
  readonly assigned_by: string | null;
  readonly assigned_from: string | null;
  readonly outbox_pending: boolean;
  readonly pinned: boolean;
  readonly archived: boolean;
  /** Muted until then; null or absent when not muted. */
  readonly muted_until?: number | null;
  /** Whether the chat was marked as unread, here or on the phone, and not marked as read since. */
  readonly marked_unread?: boolean;
  readonly marked_at?: { readonly [Name in Mark]?: number };
  /** Marks to be sent to the phone, with the phone's present values. */
  readonly for_phone?: { readonly [Name in Mark]?: { readonly value: boolean | number | null } };
  readonly waits_for_phone?: boolean;
  readonly tags: readonly Tag[];
  readonly tag_names: readonly string[];
  readonly notes: readonly StoredNote[];
  /** Snoozed, and `pending`, until then (epoch ms). Absent or null when not snoozed. */
  readonly snoozed_until?: number | null;
  /** When the chat was last snoozed (epoch ms). */
  readonly snoozed_at?: number;
  /** The owner emptied the chat on the phone up to this time (epoch ms); absent: never. */
  readonly cleared_until?: number;
  /** Disappearing-message timer in seconds (0 or absent: off), by the network's clock. */
  readonly ephemeral?: number;
  readonly ephemeral_at?: number;
  /** The open request for older messages, and its deadline (epoch ms); null or absent when none. */
  readonly older_request?: string | null;
  readonly older_until?: number | null;
  /** For official numbers: until when free text may be sent, epoch ms; absent: never wrote. */
  readonly window_until?: number;
  /** Revision: each change applies only to the revision that was read. */
  readonly rev: number;
  readonly created_at: number;
}
