/** Messages between buyers and the seller: threads, turns with deadlines, moderation. */
import { defineModule } from '../../kernel/route.ts';
import { attachmentRoutes } from '../../platform/rest/attachment-routes.ts';
import { messageEraser } from './actions/erase-buyer.ts';
import { messageMachine, threadMachine } from './domain/machines.ts';
import { messageEvents } from './events.ts';
import { messageMarketplaceEvents } from './intake/events.ts';
import { messageJobs } from './jobs.ts';
import { figureRoutes } from './routes/figures.ts';
import { listRoutes } from './routes/lists.ts';
import { threadRoutes } from './routes/threads.ts';
import { overdueThreads } from './store/threads.ts';

export { readKnown } from './actions/known.ts';
export type { Outcome } from './domain/turns.ts';
export { TurnOutcome } from './schemas.ts';

export const messagesModule = defineModule({
  name: 'messages',
  base: '/messages',
  title: 'Messaging',
  summary: 'Buyer-seller threads',
  availability: 'available',
  ids: ['thr_', 'msg_'],
  machines: [threadMachine, messageMachine],
  routes: [...listRoutes, ...threadRoutes, ...figureRoutes, ...attachmentRoutes('messages')],
  events: messageEvents,
  marketplaceEvents: messageMarketplaceEvents,
  jobs: messageJobs,
  eraser: messageEraser,
  gauges: [
    {
      name: 'spp_threads_overdue',
      help: 'Threads with buyers whose answer is overdue',
      label: 'scope',
      read: overdueThreads,
    },
  ],
});
