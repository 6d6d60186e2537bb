-- Of the units in a parcel those that the stock held when they left. What was sold beyond the stock and booked as
-- delivered elsewhere took nothing out of it, and puts nothing back should it turn out to be cancelled.
alter table order_shipment_line add column held integer not null default 0 check (held between 0 and quantity);
