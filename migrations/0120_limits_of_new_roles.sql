-- Oldest: 0.3.0
-- The first limits of the role franchisee come from the service (contract/operators.md *Limits*): 0.3.0, which may run beside, reads all rows
-- and knows no such role. From the first row of it that an owner stores, none may run.

delete from role_limits where role = 'franchisee';
