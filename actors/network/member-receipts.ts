export interface MemberReceipt {
  readonly netId: string;
  readonly chat: string;
  readonly member: string;
  readonly what: ReceiptStage;
  readonly at: number;
}

export type ReceiptStage = 'delivered' | 'read' | 'played';

/** Receipts of group members. Not reported for groups with more than `MAX_RECEIPT_MEMBERS` members. */
export interface MemberReceiptsEvent {
  readonly type: 'memberReceipts';
  readonly token: string;
  readonly receipts: readonly MemberReceipt[];
}

export const MAX_RECEIPT_MEMBERS = 1_024;
