/** One person's receipt: a group member's, or of playing a voice message or a video. */
export interface MemberReceipt {
  readonly netId: string;
  readonly chat: string;
  /** Full address of the person, as the receipt names it. */
  readonly member: string;
  readonly what: ReceiptStage;
  /** Epoch ms. */
  readonly at: number;
}

export type ReceiptStage = 'delivered' | 'read' | 'played';

/** Receipts of single people. Not reported for groups with more than `MAX_RECEIPT_MEMBERS` members. */
export interface MemberReceiptsEvent {
  readonly type: 'memberReceipts';
  readonly token: string;
  readonly receipts: readonly MemberReceipt[];
}

export const MAX_RECEIPT_MEMBERS = 1_024;
