-- owner: faqs
create trigger deleted_faqs after delete on product
  for each row when (old.status <> 'archived')
  execute function archive_faqs_of_a_product();
