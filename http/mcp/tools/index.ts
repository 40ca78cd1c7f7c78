import type { AnyTool } from '../tool.ts';
import { askKnowledge, getAnalytics, getCampaign, listTemplates } from './business.ts';
import { getOverview, listChats, readChat, searchContacts, searchMessages } from './reading.ts';
import { cancelMessage, sendMessage } from './sending.ts';
import { draftCampaign, saveContact, updateChat } from './working.ts';

/** All tools, always in this order: first those that read, then those that change or send something. */
export const TOOLS: readonly AnyTool[] = [
  getOverview,
  searchContacts,
  listChats,
  readChat,
  searchMessages,
  getCampaign,
  getAnalytics,
  listTemplates,
  askKnowledge,
  sendMessage,
  updateChat,
  saveContact,
  draftCampaign,
  cancelMessage,
];
