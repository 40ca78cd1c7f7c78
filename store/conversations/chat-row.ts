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
  /** The agent who wrote it, or the tenant for its owner and keys; null: the gateway. */
  readonly by: string | null;
  /** Their name then. */
  readonly author: string | null;
  readonly created_at: number;
}

/** Versions before 0.2 stored the text alone. */
export type StoredNote = string | ChatNote;

/** A conversation of a device. Times are epoch ms; message ids are ULIDs, '' where there is none. */
export interface ChatRow {
  /** `<device>:<address>`. */
  readonly _id: string;
  /** The address that callers see. */
  readonly id: string;
  readonly tenant_id: string;
  readonly session_id: string;
  /** Full address of the person or the group. */
  readonly chat_id: string;
  readonly chat_name: string | null;
  /** 1: a group. */
  readonly is_group: 0 | 1;
  /** The beginning of the last message. */
  readonly last_message: string | null;
  readonly last_message_at: number;
  readonly last_message_id: string;
  /** The newest message that came in, as far as this row knows. */
  readonly last_inbound_id: string;
  /** Everything up to this message has been read. */
  readonly read_up_to: string;
  /** Inbound messages after `read_up_to`, counted up to 1,000. */
  readonly unread_count: number;
  readonly status: ChatStatus;
  /** An inbound message after this one re-opens the chat. */
  readonly decided_at: string;
  /** When it was resolved last; absent: never. */
  readonly resolved_at?: number;
  /** The message for which it was handed to a person last; absent: none. */
  readonly handed_off?: string;
  readonly agent_id: string | null;
  /** It became new or open again while unassigned: the tenant's rule chooses an agent. */
  readonly seeks_agent: boolean;
  /** Counts the changes of `agent_id`; the outbox refers to the last one. */
  readonly assignments: number;
  /** 0: never. */
  readonly assigned_at: number;
  /** Who decided it: an agent, the tenant (its owner and keys), or null: the rule. */
  readonly assigned_by: string | null;
  readonly assigned_from: string | null;
  /** The event of the last assignment is perhaps not recorded yet. */
  readonly outbox_pending: boolean;
  readonly pinned: boolean;
  readonly archived: boolean;
  /** No sound until then; null or absent: not muted. */
  readonly muted_until?: number | null;
  /** It was marked as unread, here or on the phone, and not read since by a mark. */
  readonly marked_unread?: boolean;
  /** When each mark was changed last, here or on the phone. */
  readonly marked_at?: { readonly [Name in Mark]?: number };
  /** Marks that the phone has not been told, with what it has instead. */
  readonly for_phone?: { readonly [Name in Mark]?: { readonly value: boolean | number | null } };
  readonly waits_for_phone?: boolean;
  readonly tags: readonly Tag[];
  readonly tag_names: readonly string[];
  /** Newest first. */
  readonly notes: readonly StoredNote[];
  /** Set aside until then (epoch ms): `pending` meanwhile. Absent or null: not snoozed. */
  readonly snoozed_until?: number | null;
  /** When it was set aside last (epoch ms). */
  readonly snoozed_at?: number;
  /** Its timer of disappearing messages: seconds, 0 or absent: off; and when that was set, by the network's clock (chat-timers.ts). */
  readonly ephemeral?: number;
  readonly ephemeral_at?: number;
  /** The open request for older messages, and until when its answer is waited for (epoch ms); null or absent: there is none. */
  readonly older_request?: string | null;
  readonly older_until?: number | null;
  /** Of an official number: free text may answer until then, epoch ms; absent: its person never wrote to one. */
  readonly window_until?: number;
  /** Counts its changes: each applies to the revision that was read, or not at all. */
  readonly rev: number;
  readonly created_at: number;
}
