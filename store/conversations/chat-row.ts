type Mark = 'archived' | 'pinned' | 'muted_until' | 'unread';

export type ChatStatus = 'open' | 'pending' | 'resolved';

export interface Tag {
  readonly name: string;
  readonly color: string;
}

export interface ChatNote {
  readonly id: string;
  readonly text: string;
  /** An agent's id, the tenant's id for its owner and keys, or null for the gateway. */
  readonly by: string | null;
  readonly author: string | null;
  readonly created_at: number;
}

/** Versions before 0.2 stored the text alone. */
export type StoredNote = string | ChatNote;

/** Message ids are ULIDs, or '' if no message exists. */
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
  readonly read_up_to: string;
  /** Number of inbound messages after `read_up_to`, up to 1,000. */
  readonly unread_count: number;
  readonly status: ChatStatus;
  /** Inbound messages after this one re-open the chat. */
  readonly decided_at: string;
  readonly resolved_at?: number;
  readonly handed_off?: string;
  readonly agent_id: string | null;
  /** True if the tenant's rule still has to choose an agent for this new or re-opened chat. */
  readonly seeks_agent: boolean;
  /** Number of changes to `agent_id`. The outbox refers to the latest change. */
  readonly assignments: number;
  readonly assigned_at: number;
  readonly assigned_by: string | null;
  readonly assigned_from: string | null;
  readonly outbox_pending: boolean;
  readonly pinned: boolean;
  readonly archived: boolean;
  readonly muted_until?: number | null;
  /** True if the chat was marked as unread, here or on the phone, and not marked as read since then. */
  readonly marked_unread?: boolean;
  readonly marked_at?: { readonly [Name in Mark]?: number };
  /** Marks that have yet to be sent to the phone, with the values that the phone has now. */
  readonly for_phone?: { readonly [Name in Mark]?: { readonly value: boolean | number | null } };
  readonly waits_for_phone?: boolean;
  readonly tags: readonly Tag[];
  readonly tag_names: readonly string[];
  readonly notes: readonly StoredNote[];
  readonly snoozed_until?: number | null;
  readonly snoozed_at?: number;
  readonly cleared_until?: number;
  /** Disappearing-message timer in seconds; 0 or absent if off. */
  readonly ephemeral?: number;
  readonly ephemeral_at?: number;
  readonly older_request?: string | null;
  readonly older_until?: number | null;
  /**
   * For official numbers: the time until which free text may be sent. Absent if the person has
   * never written.
   */
  readonly window_until?: number;
  /** Revision. A change is applied only if the row still has the revision that was read. */
  readonly rev: number;
  readonly created_at: number;
}
