/** The API inbox of the double. */
export const INBOX = 7;

/** Database of the double. It survives a kill of its server. */

export interface Contact {
  readonly id: number;
  name: string;
  identifier: string | null;
  phone: string | null;
  readonly places: { readonly inbox: number; readonly source: string }[];
}

export interface Conversation {
  readonly id: number;
  readonly contact: number;
  readonly inbox: number;
  labels: string[];
  /** Epoch ms. */
  readonly createdAt: number;
  activeAt: number;
  readonly messages: Message[];
}

export interface File {
  readonly bytes: Buffer;
  readonly type: string;
  readonly name: string;
}

export interface Message {
  readonly id: number;
  readonly conversation: number;
  content: string;
  readonly type: 'incoming' | 'outgoing';
  readonly isPrivate: boolean;
  readonly source: string | null;
  readonly inReplyTo: number | null;
  isDeleted: boolean;
  status: string;
  error: string | null;
  readonly sender: string | null;
  readonly files: readonly File[];
  readonly createdAt: number;
}

export class Books {
  readonly contacts: Contact[] = [];
  readonly conversations: Conversation[] = [];
  readonly files: File[] = [];
  webhookUrl: string | null = null;
  #last = 100;

  id(): number {
    this.#last += 1;
    return this.#last;
  }

  conversation(id: number): Conversation | undefined {
    return this.conversations.find((one) => one.id === id);
  }

  contact(id: number): Contact | undefined {
    return this.contacts.find((one) => one.id === id);
  }

  all(): readonly Message[] {
    return this.conversations.flatMap(({ messages }) => messages);
  }

  message(id: number): Message | undefined {
    return this.all().find((one) => one.id === id);
  }
}
