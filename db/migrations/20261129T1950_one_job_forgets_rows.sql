-- owner: platform
--
-- One job deletes the expired rows of all tables. Before, each table had its own job.
delete from job
 where kind like 'platform.forget\_%'
   and kind not in (
       'platform.forget_rows',
       'platform.forget_rate_windows',
       'platform.forget_unused_attachments',
       'platform.forget_expired_attachments');
