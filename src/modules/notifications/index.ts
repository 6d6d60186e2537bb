/** Notifications of a seller. The transaction that numbers events makes notifications of them. */
import { defineModule } from '../../kernel/route.ts';
import { notifyNumbered } from './actions/notify-numbered.ts';
import { notificationRoutes } from './routes.ts';

export const notificationsModule = defineModule({
  name: 'notifications',
  base: '/notifications',
  title: 'Notifications',
  summary: 'Seller notifications, polled',
  availability: 'available',
  ids: ['ntf_'],
  routes: notificationRoutes,
  onNumbered: notifyNumbered,
});
