/** Exchange, register, development login: how a marketplace session becomes a seller's token. */
import { defineModule } from '../../kernel/route.ts';
import { sellerRegistered } from './events.ts';
import { routes } from './routes/sessions.ts';

export const authModule = defineModule({
  name: 'auth',
  base: '/auth',
  title: 'Auth',
  summary: 'Exchange, register, development login',
  availability: 'available',
  ids: ['slr_', 'mbr_', 'ses_'],
  systemReasons: ['register-seller', 'resolve-identity'],
  routes,
  events: [sellerRegistered],
});
