import { Refusal } from '../../../../runtime/errors.ts';
import type { FileContent, OpenFile, OutgoingEdit, OutgoingErasure, OutgoingMessage, OutgoingReaction } from '../../port.ts';
import type { BinaryNode, proto } from '../library.ts';
import { compose } from '../outbound/compose.ts';
import type { ConnectionContext } from '../session/connection-context.ts';
import { editStanza, erasureStanza, postStanza, reactionStanza } from './stanzas.ts';
import { kindOf, type UploadedPost, uploadPost } from './upload-post.ts';

type Context = Pick<ConnectionContext, 'library' | 'socket' | 'tunnel' | 'creds'>;

export async function postOf(context: Context, message: OutgoingMessage, open: OpenFile | undefined): Promise<BinaryNode> {
  const { netId, to, content } = message;
  if (!('file' in content)) {
    const { message: plain, pollType } = compose(context.creds, { netId, content }, null);
    return postStanza({ to, netId, bytes: encoded(context, withoutSecret(plain)), isPoll: pollType !== undefined });
  }
  if (!open) throw new Refusal('NOT_FOUND');
  const uploaded = await uploadPost(context, content, open);
  const media = { kind: kindOf(content), handle: uploaded.handle };
  return postStanza({ to, netId, bytes: encoded(context, fileOf(context, netId, content, uploaded)), media });
}

export const editOfPost = (context: Context, { target, body }: OutgoingEdit): BinaryNode =>
  editStanza(target.chat, target.netId, encoded(context, { conversation: body }));

export const erasureOfPost = ({ target }: OutgoingErasure): BinaryNode => erasureStanza(target.chat, target.netId);

export const reactionToPost = ({ netId, target, emoji }: OutgoingReaction): BinaryNode | null =>
  target.serverId === undefined ? null : reactionStanza(target.chat, netId, target.serverId, emoji);

/** Removes the secret that would encrypt votes. In channels, the network counts votes itself. */
const withoutSecret = ({ messageContextInfo: _, ...message }: proto.IMessage): proto.IMessage => message;

function fileOf({ creds }: Context, netId: string, content: FileContent, { url, directPath, sha256, size }: UploadedPost): proto.IMessage {
  return withoutSecret(compose(creds, { netId, content }, { url, directPath, fileSha256: sha256, fileLength: size }).message);
}

const encoded = ({ library: { proto } }: Context, message: proto.IMessage): Uint8Array => proto.Message.encode(message).finish();
