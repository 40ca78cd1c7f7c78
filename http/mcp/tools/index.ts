import type { AnyTool } from '../tool.ts';
import { askKnowledge, getAnalytics, getCampaign, listTemplates } from './business.ts';
import { getOverview, listChats, readChat, searchContacts, searchMessages } from './reading.ts';
import { cancelMessage, sendMessage } from './sending.ts';
import { draftCampaign, saveContact, updateChat } from './working.ts';

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
