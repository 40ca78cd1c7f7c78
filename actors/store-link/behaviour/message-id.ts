import { derivedId, momentOfId } from '../../../runtime/derived-ids.ts';
import type { StoreLinkOwner } from '../../../store/store-links/links.ts';
import type { MessageKind } from '../protocol.ts';

/** Derives a message's id, which stays the same if the message is scheduled again. */
export const storeMessageId = ({ linkId }: Pick<StoreLinkOwner, 'linkId'>, kind: MessageKind, of: string): string =>
  derivedId(`store message ${linkId} ${kind} ${of}`, momentOfId(linkId));
