/** How far a message of ours came with one person: a member of a group, or somebody who played a voice message or a video. */
export interface MemberReceipt {
  /** The network id of the message. */
  readonly netId: string;
  /** Full address of the chat from which the receipt came. */
  readonly chat: string;
  /** Full address of the person, as the receipt names it. */
  readonly member: string;
  readonly what: ReceiptStage;
  /** Epoch ms. */
  readonly at: number;
}

export type ReceiptStage = 'delivered' | 'read' | 'played';

/** Receipts of single people. Those of groups with more members than that are not told. */
export interface MemberReceiptsEvent {
  readonly type: 'memberReceipts';
  readonly token: string;
  readonly receipts: readonly MemberReceipt[];
}

export const MAX_RECEIPT_MEMBERS = 1_024;
