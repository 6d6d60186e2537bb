import { conversationSettings } from '../../platform/attachments/settings.ts';

export const ticketSettings = conversationSettings;
