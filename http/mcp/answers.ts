import type { Contact } from '../../actors/services/contacts/contacts.ts';
import { isRecord } from '../../runtime/shapes.ts';
import type { FullChat, InboxChat } from '../areas/conversations/schemas.ts';
import type { FullEntry, LogEntry } from '../areas/messages/schemas.ts';
import type { Session } from '../areas/sessions/schemas.ts';

export interface NextPage {
  readonly next_before: number | null;
  readonly next_before_id: string | null;
}

export interface Template {
  readonly id: string;
  readonly name: string;
  readonly message_type: string;
  readonly body: string | null;
  readonly caption: string | null;
  readonly language: string;
  readonly official: { readonly variables: readonly string[] } | null;
}

export interface Campaign {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly total_recipients: number;
  readonly sent_count: number;
  readonly failed_count: number;
  readonly skipped_count: number;
  readonly created_at: number;
  readonly [more: string]: unknown;
}

type Figures = { readonly [more: string]: unknown };

/** Tests compare these types with the documentation of the endpoints. */
export interface RowAnswers {
  readonly getUsage: {
    readonly plan: string;
    readonly messages: { readonly used: number; readonly quota: number; readonly overage: number };
  };
  readonly listSessions: { readonly sessions: readonly Session[] };
  readonly getSession: Session;
  readonly listInbox: NextPage & { readonly chats: readonly InboxChat[] };
  readonly getChat: FullChat;
  readonly changeChat: FullChat;
  readonly addChatNote: FullChat;
  readonly readChat: FullChat;
  readonly listChatMessages: NextPage & { readonly messages: readonly LogEntry[] };
  readonly listMessages: NextPage & { readonly messages: readonly LogEntry[] };
  readonly getMessage: FullEntry;
  readonly cancelMessage: FullEntry;
  readonly sendMessage: { readonly id: string; readonly status: string; readonly [more: string]: unknown };
  readonly scheduleMessage: { readonly id: string; readonly status: string; readonly scheduled_at: number };
  readonly getScheduled: { readonly id: string; readonly status: string };
  readonly cancelScheduled: { readonly ok: true };
  readonly listContacts: NextPage & { readonly contacts: readonly Contact[] };
  readonly createContact: Contact;
  readonly changeContact: Contact;
  readonly getConsentHistory: { readonly current: { readonly status: string } | null };
  readonly listTags: { readonly tags: readonly { readonly name: string; readonly color: string | null }[] };
  readonly listTemplates: { readonly templates: readonly Template[] };
  readonly getTemplate: Template;
  readonly previewTemplate: { readonly body: string; readonly missing: readonly string[] };
  readonly listSavedAnswers: NextPage & {
    readonly answers: readonly { readonly id: string; readonly question: string; readonly answer: string }[];
  };
  readonly askAi: { readonly answer: string | null; readonly reason: string; readonly sources: readonly Figures[] };
  readonly createBlast: Campaign;
  readonly getBlast: Campaign;
  readonly listBlasts: NextPage & { readonly blasts: readonly Campaign[] };
  readonly getAnalyticsDaily: Figures;
  readonly getAnalyticsHourly: Figures;
  readonly getAnalyticsDevices: Figures;
  readonly getAnalyticsAgents: Figures;
  readonly getAnalyticsBlasts: Figures;
  readonly previewSegment: { readonly count: number };
  readonly getSegment: { readonly rules: { readonly all?: readonly unknown[]; readonly any?: readonly unknown[] } };
}

export type RowId = keyof RowAnswers;

/** Tools call only endpoints that return records, never files. */
export const isAnswerOf = <Id extends RowId>(_id: Id, answer: unknown): answer is RowAnswers[Id] => isRecord(answer);
