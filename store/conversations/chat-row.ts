type Mark = 'archived' | 'pinned' | 'muted_until' | 'unread';

export type ChatStatus = 'open' | 'pending' | 'resolved';

export interface Tag {
  readonly name: string;
  readonly color: string;
}

/** A team note. Times are epoch ms. */
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

/** A device's conversation. Times are epoch ms; message ids are ULIDs, or '' if there is no such message. */
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
  /** Inbound messages after this one re-open the chat. */
  readonly decided_at: string;
  /** When the chat was last resolved; absent if never. */
  readonly resolved_at?: number;
  /** The message that caused the last hand-off to a person; absent if the chat was never handed off. */
  readonly handed_off?: string;
  readonly agent_id: string | null;
  /** Whether the tenant's rule still has to choose an agent, after the chat was created or re-opened. */
  readonly seeks_agent: boolean;
  /** Number of changes to `agent_id`; the outbox refers to the last change. */
  readonly assignments: number;
  /** 0 when never. */
  readonly assigned_at: number;
  /** The person who made the assignment: an agent, or the tenant for its owner and keys; null for the rule. */
  readonly assigned_by: string | null;
  readonly assigned_from: string | null;
  readonly outbox_pending: boolean;
  readonly pinned: boolean;
  readonly archived: boolean;
  /** When muting ends; null or absent if the chat is not muted. */
  readonly muted_until?: number | null;
  /** Whether the chat was marked as unread, here or on the phone, and not marked as read since. */
  readonly marked_unread?: boolean;
  readonly marked_at?: { readonly [Name in Mark]?: number };
  /** Marks to be sent to the phone, with the values that the phone has now. */
  readonly for_phone?: { readonly [Name in Mark]?: { readonly value: boolean | number | null } };
  readonly waits_for_phone?: boolean;
  readonly tags: readonly Tag[];
  readonly tag_names: readonly string[];
  readonly notes: readonly StoredNote[];
  /** When snoozing ends (epoch ms); the chat is `pending` until then. Absent or null if not snoozed. */
  readonly snoozed_until?: number | null;
  /** When the chat was last snoozed (epoch ms). */
  readonly snoozed_at?: number;
  /** Time up to which the owner cleared the chat on the phone (epoch ms); absent if never cleared. */
  readonly cleared_until?: number;
  /** Disappearing-message timer in seconds (0 or absent: off), by the network's clock. */
  readonly ephemeral?: number;
  readonly ephemeral_at?: number;
  /** The open request for older messages, and its deadline (epoch ms); null or absent if none is open. */
  readonly older_request?: string | null;
  readonly older_until?: number | null;
  /** For official numbers: until when free text may be sent, epoch ms; absent if the person never wrote. */
  readonly window_until?: number;
  /** Revision: a change is applied only if the row still has the revision that was read. */
  readonly rev: number;
  readonly created_at: number;
}
