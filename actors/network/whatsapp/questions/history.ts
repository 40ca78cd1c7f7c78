import type { HistoryQuestions } from '../../history.ts';
import { networkRefusal } from '../../network-refusal.ts';
import type { Answers } from '../../questions.ts';
import type { ConnectionContext } from '../session/connection-context.ts';

/** Requests older messages. By its name, the time field is in milliseconds, but clients write seconds. */
export const historyAnswers: Answers<ConnectionContext, HistoryQuestions> = {
  async 'history.older'({ socket, library, creds, addressing, isHabit }, { request, chat, before, count }) {
    if (!isHabit('history')) throw networkRefusal(409, SWITCHED_OFF);
    const { Message } = library.proto;
    const peerDataOperationRequestMessage = {
      peerDataOperationRequestType: Message.PeerDataOperationRequestType.HISTORY_SYNC_ON_DEMAND,
      historySyncOnDemandRequest: {
        chatJid: library.isJidGroup(chat) ? chat : await addressing.known(chat),
        oldestMsgId: before.netId,
        oldestMsgFromMe: before.from === null,
        oldestMsgTimestampMs: Math.floor(before.at / 1_000),
        onDemandMsgCount: count,
        ...(creds.me.lid && { accountLid: library.jidNormalizedUser(creds.me.lid) }),
      },
    };
    const type = Message.ProtocolMessage.Type.PEER_DATA_OPERATION_REQUEST_MESSAGE;
    await socket.relayMessage(
      library.jidNormalizedUser(creds.me.id),
      { protocolMessage: { type, peerDataOperationRequestMessage } },
      {
        messageId: request,
        additionalAttributes: { category: 'peer', push_priority: 'high_force' },
        additionalNodes: [{ tag: 'meta', attrs: { appdata: 'default' } }],
      },
    );
    return null;
  },
};

const SWITCHED_OFF = {
  en: 'importing messages from the phone is switched off (`history` in `habits`)',
  id: 'pengambilan pesan dari ponsel dimatikan (`history` di `habits`)',
};
