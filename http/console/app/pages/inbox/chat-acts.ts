import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { errorOf } from '../../api/resource.ts';
import { toast } from '../../state/toast.ts';
import { words } from './words.ts';

/**
 * Changes a chat's status, agent and tags. A change is shown immediately and can be undone for a
 * few seconds. If the gateway refuses it, the chat is reloaded and the reason is shown.
 */

type FullChat = Schemas['InboxChatWithMetadata'];

interface ChatActsDeps {
  readonly chat: FullChat;
  readonly agents: readonly Schemas['Agent'][];
  readonly put: (chat: FullChat) => void;
  readonly reload: () => void;
}

export interface ChatActs {
  setStatus(status: FullChat['status']): Promise<void>;
  assign(agentId: string | null): Promise<void>;
  addTag(tag: Schemas['ChatTagInput']): Promise<void>;
  removeTag(name: string): Promise<void>;
}

export function chatActs({ chat, agents, put, reload }: ChatActsDeps): ChatActs {
  const t = words();
  const params = { sessionId: chat.session_id, chatId: chat.chat_id };
  const change = (body: Schemas['ChangeChatRequest']) => call('changeChat', { params, body });
  const assignTo = (agent_id: string | null) => call('assignChat', { params, body: { agent_id } });
  const addTo = ({ name, color }: Schemas['ChatTagInput']) => change({ add_tags: [{ name, color }] });
  const removeFrom = async (name: string): Promise<FullChat> => {
    // Reads the current tags first, because other people may have changed them.
    const { tags } = await call('getChat', { params });
    return change({ tags: tags.filter((one) => one.name !== name) });
  };
  const act = async (
    soon: Partial<FullChat>,
    make: () => Promise<FullChat>,
    text: string,
    back: () => Promise<FullChat>,
  ): Promise<void> => {
    put({ ...chat, ...soon });
    try {
      put(await make());
      toast(text, async () => put(await back()));
    } catch (cause) {
      reload();
      toast(errorOf(cause).message);
    }
  };
  return {
    setStatus: (status) =>
      act(
        { status },
        () => change({ status }),
        t.nowStatus[status],
        () => change({ status: chat.status }),
      ),
    assign: (agentId) =>
      act(
        { agent_id: agentId },
        () => assignTo(agentId),
        agentId === null ? t.nowUnassigned : t.nowAssigned(agents.find(({ id }) => id === agentId)?.name ?? null),
        () => assignTo(chat.agent_id),
      ),
    addTag: (tag) =>
      act(
        {},
        () => addTo(tag),
        t.nowTagged(tag.name),
        () => removeFrom(tag.name),
      ),
    async removeTag(name) {
      const tag = chat.tags.find((one) => one.name === name);
      if (!tag) return;
      await act(
        { tags: chat.tags.filter((one) => one !== tag) },
        () => removeFrom(name),
        t.nowUntagged(name),
        () => addTo(tag),
      );
    },
  };
}
